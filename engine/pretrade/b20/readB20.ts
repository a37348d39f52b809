import type { Hex } from 'viem';
import type { Batch } from '../../chain/batch.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { b20Marker } from '../../venues/b20/b20.ts';
import type { CodeFacts } from '../bytecode/codeFacts.ts';
import type { CodeMemory } from '../bytecode/codeMemory.ts';
import type { RoleHolders } from '../powers/roleHolders.ts';
import type { TradePlan } from '../simulation/simulationTypes.ts';
import { type B20Facts, toB20Facts } from './b20Facts.ts';
import type { B20Ledger, B20Memory } from './b20Ledger.ts';
import type { B20Subjects } from './b20Types.ts';

/** The facts of a token with the address shape of B20. */
export interface B20Reading {
  facts: B20Facts;
  /** Pools of the simulated trades, whose transfers the policies decide about. */
  pools: readonly LowerAddress[];
  memory: B20Memory;
}

/** Before pools and role holders are known. */
export const nothingKnown: B20Subjects = { accounts: [], movers: [] };

/** Maximum number of pools that policies are asked about. */
const maxPools = 6;

const poolsOf = (plans: readonly TradePlan[]) => [...new Set(plans.map(({ pool }) => pool.pool))].slice(0, maxPools);

/** Pools and routers that move the token in trades. */
export function toMovers(plans: readonly TradePlan[]): LowerAddress[] {
  const routers = plans.flatMap(({ pool: { router, puller } }) => (puller ? [router, puller] : [router]));
  return [...new Set([...poolsOf(plans), ...routers])];
}

interface Known {
  roles: RoleHolders;
  plans: readonly TradePlan[];
}

/** Adds the reads that depend on role holders and pools to the batch after the logs. */
export function addB20Calls(batch: Batch, block: Hex, { b20, ...known }: Known & { b20: B20Ledger | undefined }): void {
  b20?.addTo(batch, block, toSubjects(known));
}

const toSubjects = ({ roles, plans }: Known): B20Subjects => ({
  accounts: roles.status === 'read' ? roles.addresses : [],
  movers: toMovers(plans),
});

export function readB20(ledger: B20Ledger | undefined, { roles, plans }: Known): B20Reading | undefined {
  if (!ledger) return undefined;
  const facts = toB20Facts(ledger, { roles, movers: toMovers(plans) });
  return { facts, pools: poolsOf(plans), memory: ledger.remembered };
}

/** The marker that every B20 token has as its code. Read as such, because a code lens cannot run at its address. */
export async function toB20Code(codes: CodeMemory): Promise<CodeFacts> {
  return { ...(await codes.analyse(b20Marker, [], false)), proxy: { status: 'none' } };
}
