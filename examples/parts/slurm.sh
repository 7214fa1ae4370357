#!/usr/bin/env bash
# One file, embedded by the tasks of a Slurm array:
#
#   export INPUT=/data/docs.jsonl FOLDER=/data/parts
#   jobs=$(sbatch --parsable --array=0-99 examples/parts/slurm.sh)
#   sbatch --dependency=afterok:$jobs --wrap "embd join $FOLDER/*.part.json -o /data/docs.npy"
#
# Each task embeds the part of its number into a file named after it, so that a task that is tried again writes the same
# file. What was embedded before a task was stopped is not embedded again.
#SBATCH --job-name=embd
#SBATCH --cpus-per-task=16
#SBATCH --mem=4G
#SBATCH --requeue
set -euo pipefail
part=$SLURM_ARRAY_TASK_ID
parts=$SLURM_ARRAY_TASK_COUNT
mkdir -p "$FOLDER"
code=0
embd embed "$INPUT" --part "$part/$parts" -t "${SLURM_CPUS_PER_TASK:-0}" --progress never --resume \
  -o "$FOLDER/part-$part-of-$parts.npy" || code=$?
# 6: a disk or a network failed, which another try may find well. 2 to 5 would come again.
if [ "$code" = 6 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$part"
fi
exit "$code"
