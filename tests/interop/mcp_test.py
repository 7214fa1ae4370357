#!/usr/bin/env python3
"""A collection of ours asked by the official Python client of the Model Context Protocol.

    mcp_test.py EMBD [--rounds N] [--seed S]     (needs tests/interop/requirements.txt)

The client agrees on a version, by "initialize" and without it, checks each answer against the schemas of that version
and of the tools, and gets what the program finds."""
import asyncio
import json
import os

from mcp import Client, MCPError, StdioServerParameters
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from driver import DATA, Driver

driver = Driver(__doc__)
MODEL = os.path.join(DATA, "embd", "plain.weights")
NOTES = {"a.md": "# Cats\n\nA cat sits.\n\n## Errors\n\nThe first is E4711.\nThe next is E4712.\n", "b.md": "# Dogs\n\nA dog runs.\n"}


async def converse(mode, version):
    server = StdioServerParameters(command=driver.program, args=["mcp", "notes.collection"])
    async with Client(server, mode=mode) as client:
        driver.check(f"{mode}: version {client.protocol_version}", version in (None, client.protocol_version))
        driver.check(f"{mode}: name", client.server_info is not None and client.server_info.name == "embd")
        driver.check(f"{mode}: instructions", "notes" in client.instructions)
        tools = (await client.list_tools()).tools
        driver.check(f"{mode}: tools", [tool.name for tool in tools] == ["search", "read"] and all(tool.output_schema for tool in tools))
        for query in ("E4712", "a dog", "", "東京 “quoted” \\ \x1f"):
            for match in ("both", "vectors", "terms"):
                found = await client.call_tool("search", {"query": query, "k": 3, "match": match})
                ours = json.loads(driver.embd("search", "notes.collection", "-q", query, "-k", 3, "--match", match))["hits"]
                driver.check(f"{mode}: search {query!r} by {match}", not found.is_error and found.structured_content == {"hits": ours})
        read = await client.call_tool("read", {"file": "notes/a.md", "first_line": 5, "last_line": 8})
        driver.check(f"{mode}: read", read.structured_content["text"] == NOTES["a.md"] and NOTES["a.md"] in read.content[0].text)
        outside = await client.call_tool("read", {"file": "../secret"})
        driver.check(f"{mode}: refused", outside.is_error and "no document" in outside.content[0].text)
        try:
            await client.call_tool("write", {})
            driver.check(f"{mode}: unknown tool", False)
        except MCPError as error:
            driver.check(f"{mode}: unknown tool", error.code == -32602)


with driver.folder():
    os.mkdir("notes")
    for name, text in NOTES.items():
        with open(f"notes/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    driver.embd("collect", "notes", "-o", "notes.collection", "-m", MODEL)
    asyncio.run(converse("auto", MODERN_PROTOCOL_VERSIONS[-1]))
    asyncio.run(converse("legacy", HANDSHAKE_PROTOCOL_VERSIONS[-1]))
