import { type Address, createTestClient, type Hex, http, publicActions } from 'viem';

/** Bytecode that replaces a contract, by how it fails. */
export const broken = {
  /** Reverts without data. */
  down: '0x60006000fd',
  /** Loops until it runs out of gas. */
  slow: '0x5b600056',
  /** Tries to return 50 MB. */
  flood: '0x63032000006000f3',
  /** Returns a megabyte of zeros. */
  megabyte: '0x621000006000f3',
  /** Returns five words of ones for every call. */
  nonsense: `0x${[0, 32, 64, 96, 128].map((at) => `7f${'ff'.repeat(32)}60${at.toString(16).padStart(2, '0')}52`).join('')}60a06000f3`,
  /** Succeeds without data. */
  empty: '0x60006000f3',
} as const satisfies Record<string, Hex>;

/** Bytecode that returns one word for every call. */
export const returningWord = (word: Hex): Hex => `0x7f${word.slice(2).padStart(64, '0')}60005260206000f3`;

/** Runs `work` with other code at an address of the local chain, and restores the code. */
export async function withCode(rpcUrl: string, address: Address, code: Hex, work: () => Promise<void>): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).extend(publicActions);
  const was = (await node.getCode({ address })) ?? '0x';
  await node.setCode({ address, bytecode: code });
  try {
    await work();
  } finally {
    await node.setCode({ address, bytecode: was });
  }
}
