import { type Geth, openGeth } from './openGeth.ts';
import type { Genesis } from './toGenesis.ts';

/** Starts go-ethereum on a genesis, and adds empty blocks up to the number and time of the head that it was taken from. */
export async function startGeth(program: string, { genesis, chainId, head }: Genesis): Promise<Geth> {
  const geth = await openGeth(program, genesis, chainId);
  const first = head.timestamp - head.number;
  for (let number = 1; number <= head.number; number += 1)
    await geth.commit({ transactions: [], time: first + number });
  return geth;
}
