#!/usr/bin/env python3
"""Models the cost of embedding many texts on a cluster, and where the bottleneck is at each size. All inputs are stated.

    cluster_cost.py [--texts 1e9] [--rate 734] [--nodes 1,10,100,1000] ...

    texts to embed  M = texts × (1 − duplicates)
    hours           T = start + M / (nodes × cores × rate × efficiency) + part / (cores a worker × rate)
                    the last: when the others have ended, one worker still has a part to do
    core-hours      nodes × cores × T
    written         texts × bytes a row / T, all nodes together; the store, or a node's network, may be less

--rate: texts a second of one core, from docs/performance.md (float32: short 734, mixed 149, long 37.6; int8: 2269, 419,
97.2). --efficiency: what the engine leaves of it, measured: docs/scale.md. Prices are yours to state.
"""
import argparse


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=float, default=1e9)
    parser.add_argument("--duplicates", type=float, default=0, help="share of texts that are there before, with dedup=True")
    parser.add_argument("--rate", type=float, default=734, help="texts a second of one core")
    parser.add_argument("--efficiency", type=float, default=0.95)
    parser.add_argument("--nodes", default="1,10,100,1000")
    parser.add_argument("--cores", type=int, default=64, help="of a node, that embed")
    parser.add_argument("--worker-cores", type=int, default=16, help="of a worker")
    parser.add_argument("--part", type=float, default=20000, help="texts of a part")
    parser.add_argument("--start", type=float, default=60, help="seconds until all workers run")
    parser.add_argument("--row-bytes", type=float, default=1541, help="written for a row: 384 float32 in Parquet")
    parser.add_argument("--network", type=float, default=1.2e9, help="bytes a second that a node can write")
    parser.add_argument("--store", type=float, default=20e9, help="bytes a second that the store takes in all")
    parser.add_argument("--price", type=float, default=0.05, help="of a core for an hour")
    parser.add_argument("--manifest-part-bytes", type=float, default=800, help="that the driver holds of a part")
    given = parser.parse_args()
    if not 0 <= given.duplicates < 1 or min(given.texts, given.rate, given.efficiency, given.cores, given.part) <= 0:
        parser.error("numbers must be above 0, and --duplicates below 1")
    return given


def main():
    given = arguments()
    embedded = given.texts * (1 - given.duplicates)
    parts = given.texts / given.part
    print(
        f"{given.texts:.3g} texts, {embedded:.3g} of them embedded, {given.rate:g}/s a core, {given.cores} cores a node, "
        f"{given.texts * given.row_bytes / 1e12:.2f} TB written in {parts:,.0f} parts, "
        f"{parts * given.manifest_part_bytes / 1e6:.0f} MB of manifest"
    )
    print(f"{'nodes':>6} {'hours':>9} {'core-hours':>11} {'cost':>9} {'GB/s written':>13} {'idle':>6}  limit")
    for nodes in (int(word) for word in given.nodes.split(",")):
        work = embedded / (nodes * given.cores * given.rate * given.efficiency)
        tail = min(given.part, embedded) / (given.worker_cores * given.rate)
        writing = given.texts * given.row_bytes / min(nodes * given.network, given.store)
        seconds = given.start + max(work, writing) + tail
        limit = "cores" if work >= writing else ("network" if nodes * given.network < given.store else "store")
        if limit == "cores" and given.start + tail > 0.2 * seconds:
            limit = "start and last parts"
        core_hours = nodes * given.cores * seconds / 3600
        idle = 1 - embedded / (given.rate * given.efficiency) / (core_hours * 3600)
        written = given.texts * given.row_bytes / seconds / 1e9
        print(
            f"{nodes:>6} {seconds / 3600:>9.2f} {core_hours:>11,.0f} {core_hours * given.price:>9,.0f} {written:>13.2f} "
            f"{idle:>6.0%}  {limit}"
        )


if __name__ == "__main__":
    main()
