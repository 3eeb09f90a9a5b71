// node read.mjs FILE.arrow: prints a file of a data set, one line a row.
// npm install apache-arrow fzstd
import { readFileSync } from 'node:fs';
import { CompressionType, compressionRegistry, tableFromIPC } from 'apache-arrow';
import * as fzstd from 'fzstd';

// apache-arrow has no decompressor of its own. slice() copies the bytes, so that they are
// aligned for a BigUint64Array.
compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => fzstd.decompress(bytes).slice() });

const table = tableFromIPC(readFileSync(process.argv[2]));

// 64-bit columns are BigInt, list columns are vectors.
const plain = (v) => (typeof v === 'bigint' ? String(v) : v !== null && typeof v === 'object' ? [...v].map(plain) : v);

console.log(JSON.stringify({
  rows: table.numRows,
  metadata: Object.fromEntries(table.schema.metadata),
  columns: table.schema.fields.map((f) => [f.name, String(f.type), f.nullable]),
}));
const columns = table.schema.fields.map((f) => table.getChild(f.name));
for (let i = 0; i < table.numRows; i++) {
  console.log(JSON.stringify(columns.map((c) => plain(c.get(i)))));
}
