import { type Address, type Hex, hexToBigInt, numberToHex } from 'viem';
import { toMakerTransactions } from '../market/maker.ts';
import { nativeCurrency } from '../market/seedPools.ts';
import { operatorAddress } from '../placement/operator.ts';
import { createNodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';
import { transferOf } from '../tokens/erc20.ts';
import { TransactionRevertedError, waitForReceipt } from './walletSender.ts';

/**
 * Funds an address with an amount of a token, by a transfer of the market maker. For the zero address as token, increases
 * the balance of native currency. Base units.
 * @throws {TransactionRevertedError} the market maker's balance is too low, or the token reverts
 */
export async function fund(chain: SandboxChain, token: Address, to: Address, amount: bigint): Promise<void> {
  const node = createNodeClient(chain.rpcUrl);
  if (token === nativeCurrency) {
    const balance = hexToBigInt(await node.call<Hex>('eth_getBalance', [to, 'latest']));
    await node.call('anvil_setBalance', [to, numberToHex(balance + amount)]);
    return;
  }
  const [transaction] = toMakerTransactions([transferOf(token, to, amount)]);
  const hash = await node.call<Hex>('eth_sendTransaction', [
    { from: operatorAddress, gas: numberToHex(5_000_000), ...transaction, value: '0x0' },
  ]);
  const receipt = await waitForReceipt(node, hash);
  if (receipt.status === '0x1') return;
  throw new TransactionRevertedError(`Could not fund ${to} with ${amount} of ${token} on ${chain.name}.`, undefined);
}
