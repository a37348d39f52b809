import { type Account, type Address, concat, createWalletClient, getAddress, type Hex, http, keccak256 } from 'viem';
import { executorDeployment } from '../../contracts/artifacts/executor/deployment.ts';
import { executorArtifact } from '../../contracts/artifacts/executor/Executor.ts';
import { weightedFamilyArtifact } from '../../contracts/artifacts/executor/WeightedFamily.ts';
import type { ChainName } from '../chains/index.ts';
import { chainFacts } from '../chains/index.ts';
import { createRpc, type Rpc } from '../verify/rpc.ts';
import { TransactionFailedError } from './errors.ts';

const { deployer, salt, executor, families } = executorDeployment;
const creationCodes = { WeightedFamily: weightedFamilyArtifact.bytecode };

/** A contract of this release that any account can deploy. */
export interface DeployableContract {
  name: string;
  address: Address;
  codeHash: Hex;
  creationCode: Hex;
}

/** A contract of this release on one chain. */
export interface ContractState {
  name: string;
  address: Address;
  codeHash: Hex;
  /** `other code`: the address has code with another hash. It must not be used. */
  state: 'deployed' | 'missing' | 'other code';
}

/** The families, then the executor. */
export const executorContracts: readonly DeployableContract[] = [
  ...families.map((family) => ({ ...family, creationCode: creationCodes[family.name] })),
  { ...executor, creationCode: executorArtifact.bytecode },
];

interface ChainNode {
  chain: ChainName;
  /** URL of a node of the chain. */
  rpcUrl: string;
  fetch?: typeof globalThis.fetch;
}

/**
 * Reads whether contracts have the code of this release.
 * @throws {TransactionFailedError} the node serves another chain
 * @throws {VerificationError | NodeError} the node does not respond
 */
export async function checkContracts(
  contracts: readonly DeployableContract[],
  { chain, rpcUrl, fetch = globalThis.fetch }: ChainNode,
): Promise<ContractState[]> {
  const rpc = createRpc(rpcUrl, fetch);
  await assertChain(rpc, chain);
  return readContracts(rpc, contracts, 'latest');
}

/** @throws {VerificationError | NodeError} the node does not respond */
const readContracts = (rpc: Rpc, contracts: readonly DeployableContract[], block: Hex | 'latest') =>
  Promise.all(
    contracts.map(async ({ name, address, codeHash }): Promise<ContractState> => {
      const code = await rpc<Hex>('eth_getCode', [address, block]);
      const state = code === '0x' ? 'missing' : keccak256(code) === codeHash ? 'deployed' : 'other code';
      return { name, address: getAddress(address), codeHash, state };
    }),
  );

/**
 * The executor's address if it and its families have the code of this release at the block; otherwise undefined.
 * @throws {VerificationError | NodeError} the node does not respond
 */
export async function findExecutor(rpc: Rpc, block: Hex): Promise<Address | undefined> {
  const states = await readContracts(rpc, executorContracts, block);
  return states.every(({ state }) => state === 'deployed') ? getAddress(executor.address) : undefined;
}

/** The states of the executor's contracts on a chain. See `checkContracts`. */
export const checkExecutor = (node: ChainNode) => checkContracts(executorContracts, node);

/** Deploys the executor's contracts. See `deployContracts`. */
export const deployExecutor = (options: ChainNode & { account: Account }) =>
  deployContracts(executorContracts, options);

/** Whether `toTransaction` can use the executor on the chain: all its contracts have the code of this release. */
export async function hasExecutor(node: ChainNode): Promise<boolean> {
  return (await checkExecutor(node)).every(({ state }) => state === 'deployed');
}

/**
 * Deploys the contracts that are missing, through the deterministic deployer. Any account may do so.
 * @returns the hashes of the transactions, which succeeded
 * @throws {TransactionFailedError} the chain has no deterministic deployer, or a transaction failed
 */
export async function deployContracts(
  contracts: readonly DeployableContract[],
  options: ChainNode & { account: Account },
): Promise<Hex[]> {
  const { chain, rpcUrl, account, fetch = globalThis.fetch } = options;
  const rpc = createRpc(rpcUrl, fetch);
  const states = await checkContracts(contracts, options);
  if ((await rpc<Hex>('eth_getCode', [deployer, 'latest'])) === '0x')
    throw new TransactionFailedError(`${chain} has no deterministic deployer at ${deployer}. Deploy it first.`);
  const wallet = createWalletClient({ account, transport: http(rpcUrl, { fetchFn: fetch }) });
  const hashes: Hex[] = [];
  const isMissing = (name: string) => states.some((each) => each.name === name && each.state === 'missing');
  for (const { name, creationCode } of contracts.filter((contract) => isMissing(contract.name))) {
    const data = concat([salt, creationCode]);
    const hash = await wallet.sendTransaction({ chain: null, to: deployer, data });
    await awaitSuccess(rpc, hash, name);
    hashes.push(hash);
  }
  return hashes;
}

/** @throws {TransactionFailedError} */
export async function assertChain(rpc: Rpc, chain: ChainName): Promise<void> {
  const id = Number(await rpc<Hex>('eth_chainId', []));
  const { chainId } = chainFacts[chain];
  if (id !== chainId) throw new TransactionFailedError(`The node serves chain ${id}, not ${chain} (${chainId}).`);
}

/**
 * Waits for a transaction's receipt, for at most three minutes.
 * @throws {TransactionFailedError} it failed or was not mined in time
 */
export async function awaitSuccess(rpc: Rpc, hash: Hex, name: string): Promise<void> {
  const until = Date.now() + 180_000;
  while (Date.now() < until) {
    // The transaction is sent: a node that fails now must not hide its hash.
    const receipt = await rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [hash]).catch(() => null);
    if (receipt?.status === '0x1') return;
    if (receipt)
      throw new TransactionFailedError(`Transaction ${hash} (${name}) was mined and failed. Its gas is spent.`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new TransactionFailedError(
    `Transaction ${hash} (${name}) was sent, and not mined within 180 s. It may still be mined: look it up before you send another.`,
  );
}
