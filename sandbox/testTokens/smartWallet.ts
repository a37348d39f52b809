import { encodeDeployData, encodeFunctionData, getContractAddress, type Hex, hexToBigInt } from 'viem';
import { smartWalletArtifact } from '../../contracts/artifacts/testTokens/SmartWallet.ts';
import type { NodeClient } from '../rpc/nodeClient.ts';
import { sendAndMine, succeeded, type Trader } from './measurement/traders.ts';

const { abi, bytecode } = smartWalletArtifact;

/** Deploys a contract wallet, which executes the transactions of its owner. */
export async function createSmartWallet(node: NodeClient, owner: Trader): Promise<Trader> {
  const nonce = await node.call<Hex>('eth_getTransactionCount', [owner.address, 'latest']);
  const address = getContractAddress({ from: owner.address, nonce: hexToBigInt(nonce) });
  const creation = { data: encodeDeployData({ abi, bytecode, args: [owner.address] }) };
  if (!succeeded(await sendAndMine(node, owner, [creation]))) throw new Error('The smart wallet was not created.');
  return {
    address,
    key: owner.key,
    through: ({ to = address, value = 0n, data }) => ({
      to: address,
      data: encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] }),
    }),
  };
}
