import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callUnits } from './callUnits.ts';

// The page shows the figures of the last measurement.

const { measured } = JSON.parse(await readFile(join(import.meta.dirname, '../bench/units.json'), 'utf8')) as {
  measured: Record<string, { requests: number; calls: Record<string, number> }>;
};

test.each(callUnits)('$name has the measured calls', ({ name, requests, ethCall, getLogs, simulate, other }) => {
  const run = measured[name];
  const { eth_call = 0, eth_getLogs = 0, eth_simulateV1 = 0, ...others } = run?.calls ?? {};
  const sum = Object.values(others).reduce((all, calls) => all + calls, 0);
  expect({ requests, ethCall, getLogs, simulate, other }).toEqual({
    ...{ requests: run?.requests, ethCall: eth_call, getLogs: eth_getLogs, simulate: eth_simulateV1, other: sum },
  });
});
