import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forms } from '../engine/pools/entryState.ts';
import { slotStatuses } from '../engine/pools/slotStatus.ts';
import { kinds } from '../engine/venues/kinds.ts';

const lens = join(import.meta.dirname, '../contracts/lens');

/** The small constants of a Solidity file by name. */
async function readConstants(file: string): Promise<Map<string, number>> {
  const text = await readFile(join(lens, file), 'utf8');
  const found = text.matchAll(/^uint256 constant (\w+) = (\d{1,2});/gm);
  return new Map([...found].map(([, name = '', value]) => [name, Number(value)]));
}

/** Converts `v4Native` and `no-pool` to the names of Solidity constants. */
const toConstant = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace('-', '_')
    .toUpperCase();
const byConstant = (numbers: Record<string, number>, prefix: string) =>
  Object.fromEntries(Object.entries(numbers).map(([name, number]) => [`${prefix}_${toConstant(name)}`, number]));
const startingWith = (constants: Map<string, number>, prefix: string) =>
  Object.fromEntries([...constants].filter(([name]) => name.startsWith(`${prefix}_`)));

test('kinds of pools have the numbers of the lens', async () => {
  expect(byConstant(kinds, 'KIND')).toEqual(startingWith(await readConstants('LensTypes.sol'), 'KIND'));
});

test('forms of pool states have the numbers of the lens', async () => {
  expect(byConstant(forms, 'FORM')).toEqual(startingWith(await readConstants('StateTypes.sol'), 'FORM'));
});

test('statuses of slots have the numbers of the lens', async () => {
  const constants = await readConstants('LensTypes.sol');
  expect(slotStatuses.map((status) => constants.get(toConstant(status)))).toEqual(
    slotStatuses.map((_, index) => index),
  );
});
