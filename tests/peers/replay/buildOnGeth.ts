import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Address, type Hex, hexToBigInt, hexToNumber } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { operatorAccount } from '../../../sandbox/placement/operator.ts';
import { deployerAccount } from '../../../sandbox/testTokens/createTokens.ts';
import { blockGas, type Geth, openGeth } from '../geth/openGeth.ts';
import type { BuiltTransaction, DumpedAccount, RecordedBuild } from './recordBuild.ts';

/**
 * The rules of the last block and those after it: anvil's, or those of the next hard fork. The builder's transactions need
 * more gas than Osaka allows for one.
 */
export type Fork = 'prague' | 'osaka';

/**
 * Starts go-ethereum with what anvil placed, and executes there what anvil's builder sent: the same transactions, signed,
 * in blocks with the same numbers and times.
 */
export async function buildOnGeth(program: string, build: RecordedBuild, fork: Fork): Promise<Geth> {
  const { chain, blocks, placedBlock } = build;
  const geth = await openGeth(program, await genesisOf(program, build, fork), chain.chainId);
  try {
    for (const block of blocks) {
      const number = hexToNumber(block.number);
      // The effects of placing are in the genesis state. Only the number of blocks must agree.
      const sent = number > placedBlock ? block.transactions : [];
      const transactions = await Promise.all(sent.map((transaction) => sign(transaction, chain.chainId)));
      await geth.commit({ transactions, time: hexToNumber(block.timestamp) });
    }
    return geth;
  } catch (cause) {
    await geth.close();
    throw cause;
  }
}

const signers = new Map<string, PrivateKeyAccount>(
  [operatorAccount, deployerAccount].map((account) => [account.address.toLowerCase(), account]),
);

function sign(transaction: BuiltTransaction, chainId: number): Promise<Hex> {
  const signer = signers.get(transaction.from.toLowerCase());
  if (!signer) throw new TypeError(`The builder has no key of ${transaction.from}.`);
  const price = transaction.maxFeePerGas ?? transaction.gasPrice ?? '0x0';
  return signer.signTransaction({
    type: 'eip1559',
    chainId,
    to: transaction.to,
    data: transaction.input,
    value: hexToBigInt(transaction.value),
    nonce: hexToNumber(transaction.nonce),
    gas: hexToBigInt(transaction.gas),
    maxFeePerGas: hexToBigInt(price),
    maxPriorityFeePerGas: hexToBigInt(transaction.maxPriorityFeePerGas ?? price),
  });
}

interface Genesis {
  config: Record<string, unknown>;
  alloc: Record<string, { balance: Hex; code?: Hex; nonce?: Hex; storage?: Record<Hex, Hex> }>;
}

async function genesisOf(program: string, build: RecordedBuild, fork: Fork): Promise<object> {
  const { stdout } = await promisify(execFile)(program, ['--dev', 'dumpgenesis'], { maxBuffer: 2 ** 26 });
  const own = JSON.parse(stdout) as Genesis;
  const { bogotaTime: _, amsterdamTime: __, osakaTime: ___, ...config } = own.config;
  // The contracts that the forks need, as this program places them.
  const system = Object.entries(own.alloc).filter(([, { code }]) => code !== undefined);
  return {
    config: {
      ...config,
      chainId: build.chain.chainId,
      ...(fork === 'osaka' && { osakaTime: hexToNumber(build.blocks.at(-1)?.timestamp ?? '0x0') }),
    },
    nonce: '0x0',
    timestamp: hex(build.genesisTime),
    extraData: '0x',
    gasLimit: hex(blockGas),
    difficulty: '0x0',
    baseFeePerGas: hex(firstBaseFee(build)),
    alloc: { ...toAlloc(build.accounts), ...Object.fromEntries(system) },
  };
}

/** The base fee from which empty blocks lead to that of the market's first block on anvil: each lowers it by an eighth. */
function firstBaseFee({ blocks, placedBlock }: RecordedBuild): number {
  let fee = hexToNumber(blocks[placedBlock]?.baseFeePerGas ?? '0x0');
  for (let number = placedBlock + 1; number > 0; number--) {
    const child = fee;
    fee = Math.floor((child * 8) / 7);
    while (fee - Math.floor(fee / 8) < child) fee += 1;
  }
  return fee;
}

const hex = (value: number) => `0x${value.toString(16)}`;

function toAlloc(accounts: ReadonlyMap<Address, DumpedAccount>): Genesis['alloc'] {
  const alloc: Genesis['alloc'] = {};
  for (const [address, { nonce, balance, code = '0x', storage = {} }] of accounts) {
    const hasCode = code !== '0x';
    if (!hasCode && nonce === 0 && hexToBigInt(balance) === 0n) continue;
    const slots = Object.entries(storage).filter(([, word]) => hexToBigInt(word) !== 0n);
    alloc[address.slice(2)] = {
      balance,
      nonce: `0x${nonce.toString(16)}`,
      ...(hasCode && { code, storage: Object.fromEntries(slots) }),
    };
  }
  return alloc;
}
