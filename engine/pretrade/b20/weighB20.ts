import { getAddress, type Hex } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import {
  type B20Role,
  type B20Scope,
  b20RoleNames,
  b20Roles,
  noSupplyCap,
  unitMultiplier,
} from '../../venues/b20/b20.ts';
import type { PowerEffect } from '../pretradePorts.ts';
import type { B20Facts, B20Policy } from './b20Facts.ts';

/** An answer, with why it is so. `value` null: `why` is the read that is missing. */
interface B20Answer {
  value: boolean | null;
  why: string;
}

/** What follows from roles, pauses and policies of a token that the factory created. */
export interface B20Finding {
  hasBlacklist: B20Answer;
  isMintable: B20Answer;
  /** Whether an account can take or burn a holder's balance. */
  canSeize: B20Answer;
  /** Whether an account can pause all transfers. */
  canPause: B20Answer;
  /** Accounts with the default admin role; undefined: not known. */
  admins: readonly LowerAddress[] | undefined;
  /** TRANSFER is paused; undefined: not read. */
  transfersPaused: boolean | undefined;
  /** Policies that refuse an ordinary wallet, a pool or a router, as sentences. */
  refusals: string[];
  /** Whether a policy refuses the ordinary wallet or a pool, so that it cannot trade. */
  refusesTrades: boolean;
  effects: PowerEffect[];
  /** Facts about cap, multiplier and shared policies, as sentences. */
  notes: string[];
}

const transferScopes = [
  'TRANSFER_EXECUTOR_POLICY',
  'TRANSFER_SENDER_POLICY',
  'TRANSFER_RECEIVER_POLICY',
] as const satisfies readonly B20Scope[];

/** Evaluates the facts of a B20 token by the rules of the standard. Pure. */
export function weighB20(facts: B20Facts, totalSupply: bigint | undefined, pools: readonly LowerAddress[]): B20Finding {
  const roles = reachOf(facts);
  const answers = {
    hasBlacklist: weighBlacklist(facts, roles),
    isMintable: weighMint(facts, roles, totalSupply),
    canSeize: weighSeizure(facts, roles),
    canPause: weighPause(facts, roles),
  };
  const effects: [PowerEffect, boolean | null][] = [
    ['seize', answers.canSeize.value],
    ['block-all-sales', answers.canPause.value],
    ['block-holder', answers.hasBlacklist.value],
    ['mint', answers.isMintable.value],
  ];
  const isRefused = transferScopes.some((scope) => {
    const policy = facts.policies[scope];
    return policy && (refusesWallet(scope, policy) || policy.refused.some((account) => pools.includes(account)));
  });
  return {
    ...answers,
    admins: roles.admins,
    transfersPaused: facts.paused.TRANSFER,
    refusals: transferScopes.flatMap((scope) => describeRefusal(scope, facts.policies[scope], pools)),
    refusesTrades: isRefused === true,
    effects: effects.filter(([, value]) => value === true).map(([effect]) => effect),
    notes: describeNotes(facts, totalSupply),
  };
}

/** A transfer's executor is the pool or the router, except in a wallet's own transfer. */
const refusesWallet = (scope: B20Scope, { allowsWallet }: B20Policy) =>
  scope !== 'TRANSFER_EXECUTOR_POLICY' && allowsWallet === false;

interface Reach {
  /** Undefined if role holders may be missing and none is known. */
  admins: readonly LowerAddress[] | undefined;
  /** Who holds a role or can get it, as words; null: no account; undefined: not known. */
  who(role: B20Role): string | null | undefined;
}

/**
 * A role can be used by its holders, and by those who can grant it: the holders of its admin role. Without a default
 * admin the token refuses every grant, whatever the admin role is.
 */
function reachOf({ holders, adminRoles, roleGap }: B20Facts): Reach {
  const holdersOf = (role: Hex) => holders.get(role) ?? [];
  const admins = holdersOf(b20Roles.DEFAULT_ADMIN_ROLE);
  const noOne = roleGap === null ? null : undefined;
  const who = (role: B20Role, path: readonly B20Role[] = []): string | null | undefined => {
    const own = holdersOf(b20Roles[role]);
    if (own.length > 0) return `${list(own)} has ${role}`;
    if (admins.length === 0) return noOne;
    const adminRole = adminRoles[role];
    if (adminRole === undefined) return undefined;
    const granting = holdersOf(adminRole);
    if (granting.length > 0) return `${list(granting)} can grant ${role}`;
    const above = b20RoleNames.find((name) => b20Roles[name] === adminRole);
    // The admin role of a role that the standard does not define is not read.
    if (above === undefined) return undefined;
    // A role in a circle of roles without a holder can never be granted again.
    return [...path, role].includes(above) ? noOne : who(above, [...path, role]);
  };
  return { admins: admins.length > 0 || roleGap === null ? admins : undefined, who };
}

function weighBlacklist({ policies, roleGap }: B20Facts, { admins }: Reach): B20Answer {
  const [admin] = admins ?? [];
  const set = transferScopes.flatMap((scope) => {
    const policy = policies[scope];
    return policy ? [`${scope} is ${describePolicy(policy)}`] : [];
  });
  if (set.length > 0) return { value: true, why: set.join('; ') };
  if (admin) return { value: true, why: `the admin ${list(admins ?? [])} can set a policy that blocks holders` };
  const unread = transferScopes.find((scope) => policies[scope] === undefined);
  if (unread) return { value: null, why: `policyId(${unread}) could not be read` };
  if (admins === undefined) return { value: null, why: roleGap ?? 'the admins are not known' };
  return { value: false, why: 'every account may transfer, and the token has no admin who could change that' };
}

function weighMint(facts: B20Facts, roles: Reach, totalSupply: bigint | undefined): B20Answer {
  const who = roles.who('MINT_ROLE');
  if (who === undefined) return { value: null, why: facts.roleGap ?? 'the admin role of MINT_ROLE was not read' };
  if (who === null) return { value: false, why: 'no account has MINT_ROLE, and none can grant it' };
  const hasAdmin = roles.admins === undefined || roles.admins.length > 0;
  const blocked = mintBlock(facts, roles, totalSupply);
  // An admin can raise the cap, set another policy and grant the role that unpauses.
  if (blocked === null || hasAdmin) return { value: true, why: who };
  return { value: !blocked.forGood, why: blocked.forGood ? blocked.why : who };
}

/** Why no account can mint now, and whether that can change without an admin. */
function mintBlock({ paused, supplyCap, policies }: B20Facts, roles: Reach, totalSupply: bigint | undefined) {
  if (paused.MINT === true) return { forGood: roles.who('UNPAUSE_ROLE') === null, why: 'MINT is paused permanently' };
  const policy = policies.MINT_RECEIVER_POLICY;
  if (policy && isClosed(policy)) return { forGood: true, why: 'MINT_RECEIVER_POLICY authorizes no account' };
  if (supplyCap === undefined || totalSupply === undefined || totalSupply < supplyCap) return null;
  const canBurn = roles.who('BURN_ROLE') !== null || roles.who('BURN_BLOCKED_ROLE') !== null;
  return { forGood: !canBurn, why: 'the supply is at its cap, which no account can raise' };
}

/** The built-in policy that authorizes no account. A list without an admin may have members. */
const isClosed = ({ kind, admin, lists, id }: B20Policy) =>
  kind === 'allowlist' && admin === null && lists?.length === 0 && (id & 0xff_ffff_ffff_ffffn) === 1n;

function weighSeizure(facts: B20Facts, roles: Reach): B20Answer {
  const { policies, paused, roleGap } = facts;
  const hasAdmin = roles.admins === undefined || roles.admins.length > 0;
  const [seize, burn] = [roles.who('SEIZE_ROLE'), roles.who('BURN_BLOCKED_ROLE')];
  // Seizure needs a holder whom the policy does not authorize; a policy exists or an admin can set one.
  const canSeize = seize && (policies.SEIZE_EXEMPT_POLICY || hasAdmin) && isUsable('SEIZE');
  const canBurn = burn && (policies.TRANSFER_SENDER_POLICY || hasAdmin) && isUsable('BURN');
  if (canSeize) return { value: true, why: `${seize}, which takes the balance of a holder by seizeWithMemo` };
  if (canBurn) return { value: true, why: `${burn}, which burns the balance of a blocked holder` };
  if (seize === undefined || burn === undefined) return { value: null, why: roleGap ?? 'an admin role was not read' };
  const unread = unreadScope();
  if (unread) return { value: null, why: `policyId(${unread}) could not be read` };
  return { value: false, why: 'no account can seize or burn the balance of a holder' };

  function unreadScope(): B20Scope | undefined {
    if (seize && isUsable('SEIZE') && policies.SEIZE_EXEMPT_POLICY === undefined) return 'SEIZE_EXEMPT_POLICY';
    if (burn && isUsable('BURN') && policies.TRANSFER_SENDER_POLICY === undefined) return 'TRANSFER_SENDER_POLICY';
    return undefined;
  }

  function isUsable(feature: 'SEIZE' | 'BURN') {
    return paused[feature] !== true || roles.who('UNPAUSE_ROLE') !== null;
  }
}

function weighPause({ paused, roleGap }: B20Facts, roles: Reach): B20Answer {
  const who = roles.who('PAUSE_ROLE');
  if (paused.TRANSFER === true) return { value: true, why: 'transfers are paused now' };
  if (who === undefined) return { value: null, why: roleGap ?? 'the admin role of PAUSE_ROLE was not read' };
  return who === null
    ? { value: false, why: 'no account has PAUSE_ROLE, and none can grant it' }
    : { value: true, why: `${who}, which can pause all transfers` };
}

function describeRefusal(scope: B20Scope, policy: B20Policy | null | undefined, pools: readonly LowerAddress[]) {
  if (!policy) return [];
  const who = [
    refusesWallet(scope, policy) ? 'an ordinary wallet' : undefined,
    ...policy.refused.map((account) => `the ${pools.includes(account) ? 'pool' : 'router'} ${getAddress(account)}`),
  ].filter((word) => word !== undefined);
  return who.length === 0 ? [] : [`${scope} refuses ${who.join(', ')} (${describePolicy(policy)}).`];
}

function describeNotes({ variant, supplyCap, multiplier, paused, policies }: B20Facts, supply: bigint | undefined) {
  const stopped = (['MINT', 'BURN', 'SEIZE'] as const).filter((feature) => paused[feature] === true);
  const { MINT_RECEIVER_POLICY: mint, SEIZE_EXEMPT_POLICY: seize } = policies;
  return [
    `This is a B20 token (${variant ?? 'of an unknown variant'}): the node executes it, and its roles and policies were read.`,
    supplyCap !== undefined && supplyCap !== noSupplyCap
      ? `supplyCap() is ${supplyCap}${supply === undefined ? '' : `, totalSupply() is ${supply}`}, in base units.`
      : undefined,
    multiplier !== undefined && multiplier !== unitMultiplier
      ? `multiplier() is ${Number(multiplier) / 1e18}: wallets may show scaled balances. Amounts here are unscaled.`
      : undefined,
    stopped.length > 0 ? `Paused: ${stopped.join(', ')}.` : undefined,
    mint ? `MINT_RECEIVER_POLICY is ${describePolicy(mint)}.` : undefined,
    seize
      ? `SEIZE_EXEMPT_POLICY is ${describePolicy(seize)}; the tokens of an account that it does not authorize can be seized.`
      : undefined,
  ].filter((note) => note !== undefined);
}

const list = (accounts: readonly LowerAddress[]) =>
  `${accounts
    .slice(0, 2)
    .map((account) => getAddress(account))
    .join(' and ')}${accounts.length > 2 ? ` and ${accounts.length - 2} more` : ''}`;

/** A policy by kind, id and admin. Any number of tokens may use the same one, so the admin's changes affect them all. */
function describePolicy(policy: B20Policy): string {
  const { id, kind, inverted, lists = [] } = policy;
  if ((id & 0xff_ffff_ffff_ffffn) < 2n) return `the built-in policy ${id}, which no one can change`;
  const of = lists.length > 0 ? ` of ${lists.map(describePolicy).join(' and ')}` : '';
  return `the shared ${inverted ? 'inverted ' : ''}${kind} ${id}${of}, ${describeAdmin(policy)}`;
}

function describeAdmin({ admin, pending }: B20Policy): string {
  if (admin === undefined) return 'whose admin could not be read';
  if (admin === null) return 'which no longer has an admin';
  const next = pending ? `, soon ${getAddress(pending)}` : '';
  return `whose admin ${getAddress(admin)}${next} can change it for every token that uses it`;
}
