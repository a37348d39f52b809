/** tsx tools/bench/asService.ts FILE [ARGUMENTS]: runs a benchmark in a process with the service's V8 flags. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { serviceFlags } from '../load/serviceArguments.ts';

const [file = '', ...rest] = process.argv.slice(2);
const child = fork(resolve(file), rest, { execArgv: [...serviceFlags, '--import', 'tsx'] });
const [code] = (await once(child, 'exit')) as [number | null];
process.exitCode = code ?? 1;
