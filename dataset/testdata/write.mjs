// node write.mjs IN.arrow OUT.arrow: reads a file of a data set and writes it again, with
// the JavaScript library's writer and without compression.
import { readFileSync, writeFileSync } from 'node:fs';
import { CompressionType, compressionRegistry, tableFromIPC, tableToIPC } from 'apache-arrow';
import * as fzstd from 'fzstd';

compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => fzstd.decompress(bytes).slice() });
writeFileSync(process.argv[3], tableToIPC(tableFromIPC(readFileSync(process.argv[2])), 'file'));
