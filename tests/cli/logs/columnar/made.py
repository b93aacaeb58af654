"""Makes the Parquet files beside it: python3 -m pip install pyarrow pandas polars && python3 made.py

The log of all of them: rank r of three takes 1 + ((7 s + 5 r) % 11) / 8 ms for step s of sixty, and every
twentieth step but the first comes after a remap of half a second.
"""
import datetime
import pandas
import polars
import pyarrow
import pyarrow.parquet

rows = [(s, r) for s in range(60) for r in range(3)]
steps, ranks = [s for s, _ in rows], [r for _, r in rows]
ms = [1 + (7 * s + 5 * r) % 11 / 8 for s, r in rows]
remapped = [s > 0 and s % 20 == 0 for s in steps]
costs = [0.5 if remap else None for remap in remapped]

# Four row groups, packed by snappy, whose unit is stated by the field.
schema = pyarrow.schema([
    pyarrow.field("host", pyarrow.string()),
    pyarrow.field("step", pyarrow.int64(), nullable=False),
    pyarrow.field("rank", pyarrow.uint16()),
    pyarrow.field("load", pyarrow.float64(), metadata={"unit": "ms"}),
    pyarrow.field("remapped", pyarrow.bool_()),
    pyarrow.field("remap_seconds", pyarrow.float32()),
])
columns = [["n%d" % r for r in ranks], steps, ranks, ms, remapped, costs]
table = pyarrow.table([pyarrow.array(c, f.type) for c, f in zip(columns, schema)], schema=schema)
pyarrow.parquet.write_table(table, "pyarrow.parquet", row_group_size=50)

# Durations in nanoseconds; one column a rank.
wide = {"step": range(60)} | {f"rank_{r}": pandas.to_timedelta(ms[r::3], unit="ms") for r in range(3)}
pandas.DataFrame(wide | {"remap_cost": costs[::3]}).to_parquet("pandas.parquet")

# Durations in microseconds, packed by zstd.
polars.DataFrame({
    "Iteration": steps,
    "PE": ranks,
    "duration": [datetime.timedelta(milliseconds=m) for m in ms],
    "remap_time_ms": [c and 1000 * c for c in costs],
}).write_parquet("polars.parquet")
