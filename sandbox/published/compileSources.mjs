// Compiles Solidity in a separate process, so that two compilers run concurrently and the parent stays responsive.
// Input (stdin): { compiler: package name, input: standard JSON input }. Output (stdout): the standard JSON output.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let text = '';
for await (const chunk of process.stdin) text += chunk;
const { compiler, input } = JSON.parse(text);
process.stdout.write(require(compiler).compile(JSON.stringify(input)));
