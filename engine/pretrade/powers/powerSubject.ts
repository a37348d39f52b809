import type { LowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from '../bytecode/codeFacts.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { SimulationBase, TradePlan } from '../simulation/simulationTypes.ts';
import type { Waits } from '../simulation/waiting.ts';
import type { RoleHolders } from './roleHolders.ts';

/** A token whose owner functions are tried. */
export interface PowerSubject {
  token: LowerAddress;
  code: CodeFacts | undefined;
  exit: ExitReading;
  /** Accounts without code in the token's storage, where an owner may remain after renouncing. Undefined: not read. */
  accounts: readonly LowerAddress[] | undefined;
  roles: RoleHolders;
  /** Creators that vendors returned in this check. Stored ones are loaded by the memory. */
  creators?: readonly LowerAddress[];
  plan: TradePlan | undefined;
  /** Whether an ordinary wallet could trade in this pretrade check; undefined if not simulated yet. */
  tradable: boolean | undefined;
  base: SimulationBase;
  /** As in `TokenReading.othersWait`: whether the simulations of owner functions wait for blocks. */
  waits: Waits;
  wrapped: LowerAddress;
}
