import { type Hex, isHex } from 'viem';
import { type Batch, resultOf } from '../../chain/batch.ts';
import { type LowerAddress, toLowerAddress } from '../../lowerAddress.ts';
import type { CodeFacts } from './codeFacts.ts';

/** Addresses of the contracts that transfers call; zero if its storage slot is empty. Undefined: not all are known. */
export type CalledContracts = readonly LowerAddress[] | undefined;

/** Adds the reads of storage slots that contain called contracts to a batch, and returns a decoder of the replies. */
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

/** The called contracts if all are constants. Undefined if storage slots contain some, or if not all are known. */
export const fixedContracts = (code: Pick<CodeFacts, 'calledContracts'> | undefined): CalledContracts => {
  const fixed = code?.calledContracts?.filter((contract) => typeof contract === 'string');
  return fixed?.length === code?.calledContracts?.length ? fixed : undefined;
};

const addressIn = (word: Hex, bits: number): LowerAddress =>
  toLowerAddress(`0x${(BigInt(word) >> BigInt(bits)).toString(16).padStart(40, '0').slice(-40)}`);
