"""The attributes of sentence-transformers' classes that embd's classes of the same names do not have, and why."""

from __future__ import annotations

_REAL = {
    "SentenceTransformer": "embd.integrations.sentence_transformers has a real SentenceTransformer on this engine, "
    "sentence-transformers one that can be trained",
    "CrossEncoder": "sentence-transformers' own class has it",
}

_REASONS = {
    "it is not trained": """
        compile fit gradient_checkpointing_enable merge old_fit smart_batching_collate zero_grad
        get_sentence_features""",
    "its weights are no tensors of torch": """
        add_module append apply bfloat16 buffers call_super_init children clear_placement_cache cuda double dump_patches
        extend extra_repr forward get_buffer get_extra_state get_parameter get_submodule half insert ipu load_state_dict
        modules mtia named_buffers named_children named_modules named_parameters parameters pop register_backward_hook
        register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook
        register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook
        register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook set_extra_state
        set_submodule smart_apply state_dict to_empty type xpu T_destination""",
    "it takes no adapters": """
        active_adapter active_adapters add_adapter check_peft_compatible_model delete_adapter disable_adapters
        enable_adapters get_adapter_state_dict has_peft_compatible_model load_adapter set_adapter""",
    "it reaches for no network": "push_to_hub save_to_hub",
}

_OWN_REASONS = {
    "SentenceTransformer": {},
    "CrossEncoder": {
        "embd.Reranker.tokenize() gives the tokens of pairs": """
            preprocess processor smart_batching_collate_text_only tokenize tokenizer""",
        "its files stay where it was opened": "save save_pretrained",
        "its weights have one type": "set_keep_in_fp32_modules",
        "it writes no model card": "model_card_data_class",
    },
}


def refused_by(class_name: str) -> dict[str, str]:
    """Returns the attributes that embd's class of this name does not have, with the reason for each."""
    reasons = {**_REASONS, **_OWN_REASONS[class_name]}
    return {name: reason for reason, names in reasons.items() for name in names.split()}


def refusal(class_name: str, name: str) -> str:
    """Returns the message of the AttributeError for an attribute that embd's class of this name does not have."""
    reason = refused_by(class_name).get(name)
    if reason is None:
        return f"{class_name!r} object has no attribute {name!r}"
    return f"embd.{class_name} has no {name!r}: {reason}. {_REAL[class_name]}."
