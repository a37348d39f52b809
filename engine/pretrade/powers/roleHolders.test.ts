import { expect, test } from 'vitest';
import { fromRoleReply } from './roleHolders.ts';

const granted = '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d';
const word = (low: string) => `0x${low.padStart(64, '0')}`;
const grant = (role: string, account: string) => ({ topics: [granted, role, word(account)] });

test('default: lists admins first, then the latest role holders', () => {
  const reply = { result: [grant(word('0'), 'a1'), grant(word('5'), 'b2'), grant(word('6'), 'c3')] };
  const addresses = ['a1', 'c3', 'b2'].map((low) => `0x${low.padStart(40, '0')}`);
  expect(fromRoleReply(reply)).toEqual({ status: 'read', addresses, owners: [] });
});

test('behavior: a role topic that is not a word is ignored', () => {
  expect(fromRoleReply({ result: [grant('0x', 'a1')] })).toEqual({ status: 'read', addresses: [], owners: [] });
});

test('names every owner of the past, the deployer first', () => {
  const transferred = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0';
  const log = (from: string, to: string) => ({ topics: [transferred, word(from), word(to)] });
  const reply = { result: [log('0', 'a1'), log('a1', 'b2'), log('b2', '0')] };
  expect(fromRoleReply(reply)).toMatchObject({
    owners: [`0x${'a1'.padStart(40, '0')}`, `0x${'b2'.padStart(40, '0')}`],
  });
});
