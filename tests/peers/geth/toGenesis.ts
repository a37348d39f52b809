import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { type Hex, hexToBytes, numberToHex } from 'viem';
import type { createNodeClient } from '../../../sandbox/index.ts';
import { blockGas } from './openGeth.ts';

interface Account {
  nonce: number;
  balance: Hex;
  code: Hex;
  storage: Record<Hex, Hex>;
}

type Alloc = Record<string, { balance: Hex; nonce?: Hex; code?: Hex; storage?: Record<Hex, Hex> }>;

/** A genesis file of go-ethereum, and the head of the chain whose state it has. */
export interface Genesis {
  genesis: object;
  chainId: number;
  head: { number: number; timestamp: number };
}

/** Contracts that the Prague rules call in each block: EIP-4788, 2935, 7002 and 7251. */
const systemContracts = /^(0x)?(000f3df6|0000f908|00000961|0000bbdd)/i;

/**
 * A genesis with the state of an anvil chain, under the rules of Prague or Osaka. A genesis has no logs and no blocks: its
 * time is that of the chain's first block, so that empty blocks lead to the same number and time.
 *
 * @param geth the program; it states the system contracts of its own release
 */
export async function toGenesis(
  anvil: Pick<ReturnType<typeof createNodeClient>, 'call'>,
  { geth, chainId, isOsaka }: { geth: string; chainId: number; isOsaka: boolean },
): Promise<Genesis> {
  const block = (await anvil.call('eth_getBlockByNumber', ['latest', false])) as Record<string, Hex>;
  const dump = (await anvil.call('anvil_dumpState', [false])) as Hex;
  const { accounts } = JSON.parse(gunzipSync(hexToBytes(dump)).toString()) as { accounts: Record<string, Account> };
  const own = JSON.parse(
    execFileSync(geth, ['--dev', 'dumpgenesis'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
  ) as {
    config: Record<string, unknown>;
    alloc: Alloc;
  };
  const alloc: Alloc = Object.fromEntries(
    Object.entries(own.alloc).filter(([address]) => systemContracts.test(address)),
  );
  for (const [address, { nonce, balance, code, storage }] of Object.entries(accounts)) {
    const kept = Object.entries(storage).filter(([, value]) => BigInt(value) !== 0n);
    const isEmpty = nonce === 0 && BigInt(balance) === 0n && code === '0x';
    if (isEmpty) continue;
    alloc[address] = {
      balance,
      nonce: numberToHex(nonce),
      ...(code !== '0x' && { code, storage: Object.fromEntries(kept) }),
    };
  }
  const { bogotaTime: _, osakaTime, ...config } = own.config;
  const head = { number: Number(block.number), timestamp: Number(block.timestamp) };
  const genesis = {
    config: { ...config, chainId, ...(isOsaka && { osakaTime }) },
    timestamp: numberToHex(head.timestamp - head.number),
    gasLimit: numberToHex(blockGas),
    difficulty: '0x0',
    extraData: '0x',
    baseFeePerGas: block.baseFeePerGas,
    alloc,
  };
  return { genesis, chainId, head };
}
