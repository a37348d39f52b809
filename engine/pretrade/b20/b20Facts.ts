import type { Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import {
  alwaysAllow,
  type B20Feature,
  type B20Role,
  type B20Scope,
  type B20Variant,
  b20Features,
  b20Marker,
  b20RoleNames,
  b20Roles,
  b20ScopeNames,
  b20Scopes,
  b20VariantOf,
  isBuiltIn,
  type PolicyKind,
  policyKindOf,
} from '../../venues/b20/b20.ts';
import type { CodeFacts, CodeMemory } from '../bytecode/codeMemory.ts';
import type { RoleHolders } from '../powers/roleHolders.ts';
import type { TradePlan } from '../simulation/simulationTypes.ts';
import { type B20Subjects, b20Calls, childrenOf, rolesOf, toRole, wordOf } from './b20Calls.ts';
import type { B20Ledger, B20Memory } from './b20Ledger.ts';

/** The facts of a token with the address shape of B20. */
export interface B20Reading {
  facts: B20Facts;
  /** Pools of the simulated trades, whose transfers the policies decide about. */
  pools: readonly LowerAddress[];
  memory: B20Memory;
}

/** Before pools and role holders are known. */
export const nothingKnown: B20Subjects = { accounts: [], movers: [] };

const poolsOf = (plans: readonly TradePlan[]) => [...new Set(plans.map(({ pool }) => pool.pool))];

/** Pools and routers that move the token in trades. */
function toMovers(plans: readonly TradePlan[]): LowerAddress[] {
  const routers = plans.flatMap(({ pool: { router, puller } }) => (puller ? [router, puller] : [router]));
  return [...new Set([...poolsOf(plans), ...routers])];
}

/** Role holders, once the logs are read, and the accounts that move the token in the planned trades. */
export const toSubjects = (plans: readonly TradePlan[], roles?: RoleHolders): B20Subjects => ({
  accounts: roles?.status === 'read' ? roles.addresses : [],
  movers: toMovers(plans),
});

export function readB20(
  ledger: B20Ledger | undefined,
  { roles, plans }: { roles: RoleHolders; plans: readonly TradePlan[] },
): B20Reading | undefined {
  if (!ledger) return undefined;
  const facts = toB20Facts(ledger, { roles, movers: toMovers(plans) });
  return { facts, pools: poolsOf(plans), memory: ledger.remembered };
}

/** The marker that every B20 token has as its code. Read as such, because a code lens cannot run at its address. */
export async function toB20Code(codes: CodeMemory): Promise<CodeFacts> {
  return { ...(await codes.analyse(b20Marker, [], false)), proxy: { status: 'none' } };
}

/** A policy of a scope. */
export interface B20Policy {
  id: bigint;
  kind: PolicyKind;
  /** The id means the opposite of the policy. */
  inverted: boolean;
  /** Null: no account can change it any more. Undefined: not read. */
  admin: LowerAddress | null | undefined;
  /** The account that may take over from the admin. */
  pending: LowerAddress | null | undefined;
  /** Lists of a union or intersection; undefined: not read. */
  lists: B20Policy[] | undefined;
  /** Whether an account that no list names is authorized; undefined: not read. */
  allowsWallet: boolean | undefined;
  /** Pools and routers that are not authorized. */
  refused: LowerAddress[];
}

/** What the check knows of a B20 token at its block. `undefined` values were not read. */
export interface B20Facts {
  /** Whether the factory created the token. */
  created: boolean | undefined;
  variant: B20Variant | undefined;
  paused: Record<B20Feature, boolean | undefined>;
  supplyCap: bigint | undefined;
  multiplier: bigint | undefined;
  /** Holders of each role, by its identifier. */
  holders: ReadonlyMap<Hex, readonly LowerAddress[]>;
  adminRoles: Record<B20Role, Hex | undefined>;
  /** Null: always-allow. */
  policies: Record<B20Scope, B20Policy | null | undefined>;
  /** Why holders of roles may be missing; null if all are known. */
  roleGap: string | null;
}

/** Decodes the ledger. `movers` are the pools and routers that it asked for. */
export function toB20Facts(
  known: B20Ledger,
  { roles, movers }: { roles: RoleHolders; movers: readonly LowerAddress[] },
): B20Facts {
  const { token } = known;
  const accounts = roles.status === 'read' ? roles.addresses : [];
  const flag = (word: bigint | undefined) => (word === undefined ? undefined : word === 1n);
  const holds = (role: Hex, account: LowerAddress) => flag(wordOf(known, b20Calls.hasRole(token, role, account)));
  const all = rolesOf(known);
  const isUnread = all.some((role) => accounts.some((account) => holds(role, account) === undefined));
  return {
    created: known.isCreated,
    variant: b20VariantOf(token),
    paused: record(b20Features, (_, feature) => flag(wordOf(known, b20Calls.paused(token, feature)))),
    supplyCap: wordOf(known, b20Calls.supplyCap(token)),
    multiplier: wordOf(known, b20Calls.multiplier(token)),
    holders: new Map(all.map((role) => [role, accounts.filter((account) => holds(role, account) === true)])),
    adminRoles: record(b20RoleNames, (name) => toRole(wordOf(known, b20Calls.roleAdmin(token, b20Roles[name])))),
    policies: record(b20ScopeNames, (name) => {
      const id = wordOf(known, b20Calls.policyId(token, b20Scopes[name]));
      if (id === undefined) return undefined;
      return id === alwaysAllow ? null : toPolicy(known, id, movers);
    }),
    roleGap: roleGapOf(roles, isUnread),
  };
}

function roleGapOf(roles: RoleHolders, isUnread: boolean): string | null {
  if (roles.status !== 'read') return "the node did not return the token's role logs";
  if (roles.truncated) return 'more accounts got a role than a check reads';
  return isUnread ? 'a role could not be read' : null;
}

/** @param isChild of a composite policy. The standard has no deeper ones, and a false reply must not lead in a circle. */
function toPolicy(known: B20Ledger, id: bigint, movers: readonly LowerAddress[], isChild = false): B20Policy {
  const { kind, inverted } = policyKindOf(id);
  const allows = (account: LowerAddress) => wordOf(known, b20Calls.authorized(id, account));
  const wallet = allows(known.wallet);
  const fixed = isBuiltIn(id);
  const children = fixed ? [] : childrenOf(known, id);
  return {
    ...{ id, kind, inverted },
    admin: fixed ? null : toAccount(wordOf(known, b20Calls.policyAdmin(id))),
    pending: fixed ? null : toAccount(wordOf(known, b20Calls.pendingAdmin(id))),
    lists: isChild && children?.length !== 0 ? undefined : children?.map((child) => toPolicy(known, child, [], true)),
    allowsWallet: wallet === undefined ? undefined : wallet === 1n,
    refused: movers.filter((account) => allows(account) === 0n),
  };
}

function toAccount(word: bigint | undefined): LowerAddress | null | undefined {
  // A longer word is no address.
  if (word === undefined || word >> 160n !== 0n) return undefined;
  return word === 0n ? null : (`0x${word.toString(16).padStart(40, '0')}` as LowerAddress);
}

const record = <Name extends string, T>(names: readonly Name[], of: (name: Name, index: number) => T) =>
  Object.fromEntries(names.map((name, index) => [name, of(name, index)])) as Record<Name, T>;
