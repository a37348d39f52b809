import type { Address } from 'viem';
import { expect, test } from 'vitest';
import { soliditySlot, vyperSlot } from '../../../tests/support/engine/testToken.ts';
import { recogniseSlot, toNamedSlots, usualFormulas } from './storageLocations.ts';

const [owner, spender]: [Address, Address] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
const contract: Address = `0x${'C3'.repeat(20)}`;
const slot = (digits: string) => `0x${digits.repeat(32)}` as const;
const listOf = (...accessList: unknown[]) => ({ accessList, gasUsed: '0x1' });

test('the usual formulas are all different, and the first ones are Solidity’s', () => {
  expect(new Set(usualFormulas.map((formula) => formula([owner]))).size).toBe(usualFormulas.length);
  expect(usualFormulas[20]?.([owner, spender])).toBe(soliditySlot(20n, owner, spender));
});

test('formulas up to index 999 are recognised, of both languages', () => {
  for (const index of [0n, 300n, 999n]) {
    expect(recogniseSlot(soliditySlot(index, owner), [owner])?.([spender])).toBe(soliditySlot(index, spender));
    expect(recogniseSlot(vyperSlot(index, owner, spender), [owner, spender])?.([owner, spender])).toBe(
      vyperSlot(index, owner, spender),
    );
  }
  expect(recogniseSlot(soliditySlot(1_000n, owner), [owner])).toBeUndefined();
  expect(recogniseSlot(soliditySlot(3n, spender), [owner])).toBeUndefined();
});

test('the slots of an access list are named in order, in lower case', () => {
  const keys = [slot('AB'), slot('cd')];
  expect(
    toNamedSlots(listOf({ address: contract, storageKeys: keys }, { address: owner, storageKeys: [slot('ef')] })),
  ).toEqual([
    ...[
      { contract: contract.toLowerCase(), slot: slot('ab') },
      { contract: contract.toLowerCase(), slot: slot('cd') },
    ],
    { contract: owner, slot: slot('ef') },
  ]);
});

test('only the first three slots are named', () => {
  const keys = ['11', '22', '33', '44'].map(slot);
  expect(toNamedSlots(listOf({ address: contract, storageKeys: keys })).map((named) => named.slot)).toEqual(
    keys.slice(0, 3),
  );
});

test.each([
  ['a low slot number', `0x${'0'.repeat(48)}${'f'.repeat(16)}`],
  ['the slot of an implementation', '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'],
  [
    'the slot of an admin, in capitals',
    `0x${'b53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103'.toUpperCase()}`,
  ],
  ['a short slot', slot('ab').slice(0, -2)],
  ['text', `0x${'zz'.repeat(32)}`],
  ['a number', 7],
])('%s is not named', (_, key) => {
  const named = toNamedSlots(listOf({ address: contract, storageKeys: [key, slot('ab')] }));
  expect(named).toEqual([{ contract: contract.toLowerCase(), slot: slot('ab') }]);
  const least = `0x${'0'.repeat(47)}1${'0'.repeat(16)}`;
  expect(toNamedSlots(listOf({ address: contract, storageKeys: [least] }))).toHaveLength(1);
});

test.each([
  ['null', null],
  ['no list', {}],
  ['text', listOf('text', null, 7)],
  ['no address', listOf({ storageKeys: [slot('ab')] }, { address: '0x12', storageKeys: [slot('ab')] })],
  ['no keys', listOf({ address: contract }, { address: contract, storageKeys: 'none' })],
])('%s names nothing', (_, result) => {
  expect(toNamedSlots(result)).toEqual([]);
});
