import { type Address, createTestClient, type Hex, http, publicActions } from 'viem';

/** Code in the place of a contract, by how it fails. Five words long where it returns words. */
export const broken = {
  /** Reverts without a word. */
  down: '0x60006000fd',
  /** Loops until the gas is gone. */
  slow: '0x5b600056',
  /** Asks for 50 MB of memory to return. */
  flood: '0x63032000006000f3',
  /** Returns a megabyte of zeros. */
  megabyte: '0x621000006000f3',
  /** Answers everything with words of ones. */
  nonsense: `0x${[0, 32, 64, 96, 128].map((at) => `7f${'ff'.repeat(32)}60${at.toString(16).padStart(2, '0')}52`).join('')}60a06000f3`,
  /** Returns nothing, successfully. */
  empty: '0x60006000f3',
} as const satisfies Record<string, Hex>;

/** Answers everything with one word. */
export const answering = (word: Hex): Hex => `0x7f${word.slice(2).padStart(64, '0')}60005260206000f3`;

/** Runs `work` with other code at an address of the local chain, and puts the chain back as it was. */
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
