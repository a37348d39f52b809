import { encodeFunctionResult, type Hex, multicall3Abi } from 'viem';
import { expect, test } from 'vitest';
import { createBatch } from '../../../engine/chain/batch.ts';
import type { ContractRead } from '../../../engine/chain/multicall3.ts';
import { toLowerAddress } from '../../../engine/lowerAddress.ts';
import type { TransferFinding } from '../../../engine/pretrade/axes/transferFinding.ts';
import { b20Gate, refusesTrades } from '../../../engine/pretrade/b20/applyB20.ts';
import { b20Calls } from '../../../engine/pretrade/b20/b20Calls.ts';
import { type B20Facts, nothingKnown, toB20Facts } from '../../../engine/pretrade/b20/b20Facts.ts';
import { B20Ledger } from '../../../engine/pretrade/b20/b20Ledger.ts';
import { weighB20 } from '../../../engine/pretrade/b20/weighB20.ts';
import type { RoleHolders } from '../../../engine/pretrade/powers/roleHolders.ts';
import { b20RoleNames, b20Roles, b20ScopeNames, b20Scopes } from '../../../engine/venues/b20/b20.ts';

// Reads that fail or return no word.

const token = toLowerAddress(`0xb2${'0'.repeat(20)}${'1'.repeat(18)}`);
const holder = toLowerAddress(`0x${'2'.repeat(40)}`);

test.each<Hex>(['0x', '0x01'])(
  'it is not known whether the factory created the token if it returns %s',
  (returnData) => {
    const ledger = new B20Ledger(token, undefined);
    const batch = createBatch();
    const result = encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: [{ success: true, returnData }],
    });
    ledger.addTo({ ...batch, add: () => () => [{ result }] }, 'latest', nothingKnown);
    ledger.settle();
    expect(ledger.isCreated).toBeUndefined();
  },
);

test('a composite policy that a false reply names as its own child is not followed, and an overlong admin is unknown', () => {
  const union = (2n << 56n) | 7n;
  const words = (...values: bigint[]) =>
    `0x${values.map((value) => value.toString(16).padStart(64, '0')).join('')}` as Hex;
  const scope = b20Calls.policyId(token, b20Scopes.TRANSFER_SENDER_POLICY);
  const replies = new Map([
    [`${scope.to}${scope.data}`, words(union)],
    [`${b20Calls.children(union).to}${b20Calls.children(union).data}`, words(32n, 1n, union)],
    [`${b20Calls.policyAdmin(union).to}${b20Calls.policyAdmin(union).data}`, words(1n << 200n)],
  ]);
  const known = {
    token,
    wallet: holder,
    isCreated: true,
    result: ({ to, data }: ContractRead) => replies.get(to + data),
  };
  const roles = { status: 'read', addresses: [], truncated: false } as unknown as RoleHolders;
  const policy = toB20Facts(known as unknown as B20Ledger, { roles, movers: [] }).policies.TRANSFER_SENDER_POLICY;
  expect(policy?.admin).toBeUndefined();
  expect(policy?.lists).toMatchObject([{ id: union, lists: undefined }]);
});

/** Facts of a token whose reads all succeeded: every scope is open, nothing is paused, and no account has a role. */
const openToken: B20Facts = {
  created: true,
  variant: 'asset',
  paused: { TRANSFER: false, MINT: false, BURN: false, SEIZE: false },
  supplyCap: 1_000n,
  multiplier: 1n,
  holders: new Map(),
  adminRoles: record(b20RoleNames, b20Roles.DEFAULT_ADMIN_ROLE),
  policies: record(b20ScopeNames, null),
  roleGap: null,
};

function record<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>;
}

const held = (...roles: Hex[]) => new Map(roles.map((role) => [role, [holder]]));
const facts = (policies: Partial<B20Facts['policies']>, role: Hex): B20Facts => ({
  ...openToken,
  holders: held(role),
  policies: { ...openToken.policies, ...policies },
});

test.each([
  ['SEIZE_ROLE', 'SEIZE_EXEMPT_POLICY'],
  ['BURN_BLOCKED_ROLE', 'TRANSFER_SENDER_POLICY'],
] as const)(
  'without an admin, a holder of %s is harmless if %s is open, and unknown if it was not read',
  (role, scope) => {
    expect(weighB20(facts({}, b20Roles[role]), 1n, []).canSeize.value).toBe(false);
    const { value, why } = weighB20(facts({ [scope]: undefined }, b20Roles[role]), 1n, []).canSeize;
    expect(value).toBeNull();
    expect(why).toBe(`policyId(${scope}) could not be read`);
  },
);

test('without an admin, the blacklist is absent if every scope is open, and unknown if one was not read', () => {
  expect(weighB20(openToken, 1n, []).hasBlacklist.value).toBe(false);
  const unread = { ...openToken.policies, TRANSFER_SENDER_POLICY: undefined };
  expect(weighB20({ ...openToken, policies: unread }, 1n, []).hasBlacklist).toMatchObject({
    value: null,
    why: 'policyId(TRANSFER_SENDER_POLICY) could not be read',
  });
});

const mintable = (changes: Partial<B20Facts>) => weighB20({ ...openToken, ...changes }, 1n, []).isMintable.value;
const noMint = { ...openToken.paused, MINT: true };

test('a minter whose mints are paused can mint if an admin can end the pause', () => {
  expect(mintable({ holders: held(b20Roles.MINT_ROLE), paused: noMint })).toBe(false);
  expect(mintable({ holders: held(b20Roles.MINT_ROLE, b20Roles.DEFAULT_ADMIN_ROLE), paused: noMint })).toBe(true);
});

test('the holder of a role that could grant MINT_ROLE cannot do so without a default admin', () => {
  const adminRoles = { ...openToken.adminRoles, MINT_ROLE: b20Roles.PAUSE_ROLE };
  expect(mintable({ adminRoles, holders: held(b20Roles.PAUSE_ROLE) })).toBe(false);
  expect(mintable({ adminRoles, holders: held(b20Roles.PAUSE_ROLE, b20Roles.DEFAULT_ADMIN_ROLE) })).toBe(true);
});

test('it is not known who can mint if the admin role of MINT_ROLE is none of the standard', () => {
  const adminRoles = { ...openToken.adminRoles, MINT_ROLE: `0x${'5'.repeat(64)}` as Hex };
  expect(mintable({ adminRoles, holders: held(b20Roles.DEFAULT_ADMIN_ROLE) })).toBeNull();
});

const trade = (canTrade: boolean) => ({ canBuy: canTrade, canSell: canTrade }) as TransferFinding;

test('a pause or a policy that the simulated trades contradict closes no gate', () => {
  const paused = weighB20({ ...openToken, paused: { ...openToken.paused, TRANSFER: true } }, 1n, []);
  expect(b20Gate(paused, trade(false)).state).toBe('closed');
  expect(b20Gate(paused, trade(true)).state).toBe('unknown');
  const refusing = { ...paused, refusesTrades: true };
  expect(refusesTrades(refusing, trade(false))).toBe(true);
  expect(refusesTrades(refusing, trade(true))).toBe(false);
});
