// Compiles Solidity in a process of its own, so that two compilers run at once and the parent stays free.
// In (stdin): { compiler: package name, input: standard JSON input }. Out (stdout): the standard JSON output.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let text = '';
for await (const chunk of process.stdin) text += chunk;
const { compiler, input } = JSON.parse(text);
process.stdout.write(require(compiler).compile(JSON.stringify(input)));
