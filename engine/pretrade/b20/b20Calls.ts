import {
  type AbiStateMutability,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type EncodeFunctionDataParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
} from 'viem';
import type { ContractRead } from '../../chain/multicall3.ts';
import { decodeWords } from '../../chain/words.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import {
  alwaysAllow,
  b20Abi,
  b20Features,
  b20RoleNames,
  b20Roles,
  b20ScopeNames,
  b20Scopes,
  b20Singletons,
  b20VariantOf,
  isBuiltIn,
  policyKindOf,
} from '../../venues/b20/b20.ts';

/** What later calls depend on, as far as it is known. */
export interface B20Subjects {
  /** Accounts in the token's role logs. */
  accounts: readonly LowerAddress[];
  /** Pools and routers that move the token in a trade. */
  movers: readonly LowerAddress[];
}

/** Results of the calls so far. */
export interface KnownCalls {
  token: LowerAddress;
  wallet: LowerAddress;
  /** Undefined if the call was not sent or failed. */
  result(call: ContractRead): Hex | undefined;
}

const { factory, policyRegistry } = b20Singletons;

type Reads = typeof b20Abi;

/** A read of the token, its factory or the registry. */
const toCall = <Name extends ContractFunctionName<Reads>>(
  to: LowerAddress,
  functionName: Name,
  args: ContractFunctionArgs<Reads, AbiStateMutability, Name>,
): ContractRead => ({
  to,
  data: encodeFunctionData({ abi: b20Abi, functionName, args } as EncodeFunctionDataParameters),
});

/** The calls whose replies the facts are decoded from. */
export const b20Calls = {
  initialized: (token: LowerAddress) => toCall(factory, 'isB20Initialized', [token]),
  paused: (to: LowerAddress, feature: number) => toCall(to, 'isPaused', [feature]),
  supplyCap: (to: LowerAddress) => toCall(to, 'supplyCap', []),
  multiplier: (to: LowerAddress) => toCall(to, 'multiplier', []),
  roleAdmin: (to: LowerAddress, role: Hex) => toCall(to, 'getRoleAdmin', [role]),
  hasRole: (to: LowerAddress, role: Hex, account: LowerAddress) => toCall(to, 'hasRole', [role, account]),
  policyId: (to: LowerAddress, scope: Hex) => toCall(to, 'policyId', [scope]),
  policyAdmin: (id: bigint) => toCall(policyRegistry, 'policyAdmin', [id]),
  pendingAdmin: (id: bigint) => toCall(policyRegistry, 'pendingPolicyAdmin', [id]),
  children: (id: bigint) => toCall(policyRegistry, 'compositePolicyChildIds', [id]),
  authorized: (id: bigint, account: LowerAddress) => toCall(policyRegistry, 'isAuthorized', [id, account]),
};

/** The first word of a result; undefined if the call was not sent or failed. */
export function wordOf(known: KnownCalls, call: ContractRead): bigint | undefined {
  const result = known.result(call);
  return result && decodeWords(result, 1)[0];
}

/** Children of a composite policy; empty for a list, undefined if they could not be read. */
export function childrenOf(known: KnownCalls, id: bigint): bigint[] | undefined {
  const { kind } = policyKindOf(id);
  if (kind === 'allowlist' || kind === 'blocklist') return [];
  const result = known.result(b20Calls.children(id));
  if (result === undefined) return undefined;
  const [, count = 0n, ...ids] = decodeWords(result, 6);
  return ids.slice(0, Number(count));
}

/** Policy ids of the scopes that were read, without always-allow. */
const policiesOf = (known: KnownCalls): bigint[] => {
  const ids = b20ScopeNames.map((name) => wordOf(known, b20Calls.policyId(known.token, b20Scopes[name])));
  return [...new Set(ids.filter((id) => id !== undefined && id !== alwaysAllow))] as bigint[];
};

export const toRole = (word: bigint | undefined): Hex | undefined =>
  word === undefined ? undefined : numberToHex(word, { size: 32 });

/** Roles whose holders matter: the built-in ones and their admin roles. */
export function rolesOf(known: KnownCalls): Hex[] {
  const admins = b20RoleNames.map((name) => wordOf(known, b20Calls.roleAdmin(known.token, b20Roles[name])));
  return [...new Set([...Object.values(b20Roles), ...admins.flatMap((word) => toRole(word) ?? [])])];
}

/** Every call that is needed by what is known so far, sent or not. */
export function wantedCalls(known: KnownCalls, { accounts, movers }: B20Subjects): ContractRead[] {
  const { token, wallet } = known;
  const policies = policiesOf(known);
  const lists = policies.flatMap((id) => childrenOf(known, id) ?? []);
  return [
    b20Calls.initialized(token),
    ...b20Features.map((_, feature) => b20Calls.paused(token, feature)),
    b20Calls.supplyCap(token),
    ...(b20VariantOf(token) === 'asset' ? [b20Calls.multiplier(token)] : []),
    ...b20RoleNames.map((name) => b20Calls.roleAdmin(token, b20Roles[name])),
    ...b20ScopeNames.map((name) => b20Calls.policyId(token, b20Scopes[name])),
    ...[...policies, ...lists]
      .filter((id) => !isBuiltIn(id))
      .flatMap((id) => [
        b20Calls.policyAdmin(id),
        b20Calls.pendingAdmin(id),
        ...(['union', 'intersection'].includes(policyKindOf(id).kind) ? [b20Calls.children(id)] : []),
      ]),
    ...policies.flatMap((id) => [wallet, ...movers].map((account) => b20Calls.authorized(id, account))),
    ...accounts.flatMap((account) => rolesOf(known).map((role) => b20Calls.hasRole(token, role, account))),
  ];
}
