import type { LowerAddress } from '../../lowerAddress.ts';
import { b20Marker } from '../../venues/b20/b20.ts';
import type { CodeFacts } from '../bytecode/codeFacts.ts';
import type { CodeMemory } from '../bytecode/codeMemory.ts';
import type { RoleHolders } from '../powers/roleHolders.ts';
import type { TradePlan } from '../simulation/simulationTypes.ts';
import type { B20Subjects } from './b20Calls.ts';
import { type B20Facts, toB20Facts } from './b20Facts.ts';
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
