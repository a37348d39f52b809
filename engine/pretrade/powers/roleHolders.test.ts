import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import { addRoles, fromRoleReply, recallRoles } from './roleHolders.ts';

const granted = '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d';
const word = (low: string) => `0x${low.padStart(64, '0')}`;
const address = (low: string) => `0x${low.padStart(40, '0')}`;
const grant = (role: string, account: string) => ({ topics: [granted, role, word(account)] });
const admin = word('0');
const role = word('5');

test('default: lists the first admin, then other admins, then the latest role holders', () => {
  const result = [grant(admin, 'a1'), grant(role, 'b2'), grant(word('6'), 'c3'), grant(admin, 'd4')];
  const addresses = ['a1', 'd4', 'c3', 'b2'].map(address);
  expect(fromRoleReply({ result })).toEqual({ status: 'read', addresses, owners: [], truncated: false });
});

test('behavior: a role topic that is not a word is ignored', () => {
  expect(fromRoleReply({ result: [grant('0x', 'a1')] })).toMatchObject({ status: 'read', addresses: [] });
});

test('lists every past owner, the deployer first', () => {
  const transferred = '0x8be0079c531659141344cd1fd0a4f28419497f9722a3daafe3b4186f6b6457e0';
  const log = (from: string, to: string) => ({ topics: [transferred, word(from), word(to)] });
  const reply = { result: [log('0', 'a1'), log('a1', 'b2'), log('b2', '0')] };
  expect(fromRoleReply(reply)).toMatchObject({ owners: ['a1', 'b2'].map(address) });
});

test('new grants do not evict the first admin, and more grants than are tried are reported', () => {
  const earlier = fromRoleReply({ result: [grant(admin, 'a1'), grant(role, 'b2')] });
  const many = Array.from({ length: 8 }, (_, index) => grant(index % 2 === 0 ? admin : role, `e${index}`));
  const later = addRoles(earlier, fromRoleReply({ result: many }));

  expect(later).toMatchObject({ status: 'read', truncated: true });
  const { addresses } = later.status === 'read' ? later : { addresses: [] };
  expect(addresses).toHaveLength(8);
  expect(addresses[0]).toBe(address('a1'));
  expect(addresses).toContain(address('e7'));
  expect(addRoles(earlier, undefined)).toMatchObject({ truncated: false });
});

const codeOf = (analysedHash: Hex) => ({ analysedHash }) as CodeFacts;

test('roles that were read for other code count as unread: grants since then were not read', () => {
  const roles = fromRoleReply({ result: [grant(admin, 'a1')] });
  const memory = { roles, code: codeOf('0x01') };
  expect(recallRoles(memory, codeOf('0x01'), undefined)).toEqual(roles);
  expect(recallRoles(memory, codeOf('0x02'), undefined)).toEqual({ status: 'unread' });
  expect(recallRoles(memory, undefined, undefined)).toEqual({ status: 'unread' });
  expect(recallRoles(undefined, codeOf('0x02'), roles)).toEqual(roles);
});
