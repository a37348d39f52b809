/**
 * npm run prove:nodes [-- --only "gaps of 12 s,batches of 3"] [--seed 7] [--verbose]
 *
 * Buys nine quotes and six checks through each profile of an RPC endpoint, from a service in live mode with one URL a
 * chain, and prints what was served, right and charged. Exits with 1 if a call was charged and not answered, or an answer
 * differs from that of the plain node.
 */
import { parseArgs } from 'node:util';
import { profiles } from './profiles.ts';
import type { Profile } from './profileTypes.ts';
import { type ProfileRun, runProfile, startProfileChains } from './runProfile.ts';

const { values } = parseArgs({
  options: { only: { type: 'string' }, seed: { type: 'string', default: '1' }, verbose: { type: 'boolean' } },
});
const named = values.only?.split(',').map((name) => name.trim());
const unknown = named?.filter((name) => !profiles.some((profile) => profile.name === name)) ?? [];
if (unknown.length > 0) throw new RangeError(`There is no profile ${unknown.join(', ')}.`);

const columns = 'served right charged unanswered retries requests calls units kB-up kB-down check-kB s'.split(' ');
const kilo = (bytes: number) => Math.round(bytes / 1000);

function rowOf(run: ProfileRun): number[] {
  const { usage } = run;
  return [
    ...[run.served, run.right, run.charged, run.chargedUnanswered, run.retries],
    ...[usage.requests, usage.calls, usage.units],
    ...[kilo(usage.requestBytes), kilo(usage.replyBytes), kilo(run.largestCheckBytes), Math.round(run.ms / 1000)],
  ];
}

const print = (name: string, cells: readonly (string | number)[]) =>
  process.stdout.write(`${name.padEnd(32)}${cells.map((cell) => String(cell).padStart(11)).join('')}\n`);

const chains = await startProfileChains();
try {
  print('profile', columns);
  const seed = Number(values.seed);
  const [reference] = profiles;
  const plainRun = await runProfile(chains, reference as Profile, { seed });
  const plain = new Map(plainRun.answers.map(({ call, answer }) => [call.name, answer]));
  print('node', rowOf(plainRun));
  let faults = plainRun.served < plainRun.answers.length ? 1 : 0;
  for (const profile of profiles.slice(1)) {
    if (named && !named.includes(profile.name)) continue;
    const run = await runProfile(chains, profile, { plain, seed });
    print(profile.name, rowOf(run));
    for (const line of run.wrong) process.stdout.write(`    ${line}\n`);
    for (const { call, answer, failures } of run.answers) {
      if (values.verbose) for (const line of failures) process.stdout.write(`    ${call.name}: ${line}\n`);
      else if (!answer) process.stdout.write(`    ${call.name}: ${failures.at(-1) ?? 'no answer'}\n`);
    }
    const expectsAll = profile.allows === undefined || profile.allows === 'inconclusive checks';
    if (run.wrong.length > 0 || run.chargedUnanswered > 0 || (expectsAll && run.served < run.answers.length))
      faults += 1;
  }
  process.exitCode = faults > 0 ? 1 : 0;
} finally {
  await chains.sandbox.close();
}
