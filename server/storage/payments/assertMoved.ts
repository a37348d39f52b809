import type { UpdateResult } from 'kysely';
import { LedgerOrderError } from '../../payments/index.ts';

/** @throws {LedgerOrderError} when no payment was in a state that allows the step */
export function assertMoved({ numUpdatedRows }: UpdateResult, key: string, to: string): void {
  if (numUpdatedRows !== 1n) throw new LedgerOrderError(`Payment ${key} cannot become ${to} from its present state.`);
}
