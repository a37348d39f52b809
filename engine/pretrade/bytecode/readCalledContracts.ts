import { type Hex, isHex } from 'viem';
import { type Batch, resultOf } from '../../chain/batch.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from './codeFacts.ts';

/** Addresses of the contracts that transfers call. Zero: a contract that is not set. Undefined: unknown. */
export type CalledContracts = readonly LowerAddress[] | undefined;

/** Adds the reads of the storage slots that name contracts to a batch. Adds nothing if no slot does. */
export function addCalledContracts(
  batch: Batch,
  token: LowerAddress,
  { calledContracts }: Pick<CodeFacts, 'calledContracts'>,
  block: Hex | 'latest',
): () => CalledContracts {
  const fixed = (calledContracts ?? []).filter((contract) => typeof contract === 'string');
  const stored = (calledContracts ?? []).filter((contract) => typeof contract !== 'string');
  const replies = batch.add(
    ...stored.map(({ slot }) => ({ method: 'eth_getStorageAt', params: [token, slot, block] })),
  );
  return () => {
    if (!calledContracts) return undefined;
    const words = replies().map(resultOf);
    const read = stored.flatMap(({ bits }, index) => {
      const word = words[index];
      return isHex(word) && word.length > 2 && word.length <= 66 ? [addressIn(word, bits)] : [];
    });
    return read.length === stored.length ? [...fixed, ...read] : undefined;
  };
}

/** The contracts if no storage slot names one, so that nothing has to be read. */
export const fixedContracts = (code: Pick<CodeFacts, 'calledContracts'> | undefined): CalledContracts => {
  const fixed = code?.calledContracts?.filter((contract) => typeof contract === 'string');
  return fixed?.length === code?.calledContracts?.length ? fixed : undefined;
};

const addressIn = (word: Hex, bits: number): LowerAddress =>
  toLowerAddress(`0x${(BigInt(word) >> BigInt(bits)).toString(16).padStart(40, '0').slice(-40)}`);
