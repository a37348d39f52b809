import { type Address, type Hex, hexToBigInt, numberToHex } from 'viem';
import { toMakerTransactions } from '../market/maker.ts';
import { nativeCurrency } from '../market/seedPools.ts';
import { operatorAddress } from '../placement/operator.ts';
import { createNodeClient } from '../rpc/nodeClient.ts';
import type { SandboxChain } from '../sandboxTypes.ts';
import { transferOf } from '../tokens/erc20.ts';
import { TransactionRevertedError, waitForReceipt } from './walletSender.ts';

/**
 * Gives an address some of a token, by a real transfer from the market maker's stock. The zero address as token means
 * native currency.
 * @throws {TransactionRevertedError} when the stock does not have so much, or the token refuses.
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
  throw new TransactionRevertedError(`${to} could not be given ${amount} of ${token} on ${chain.name}.`, undefined);
}
