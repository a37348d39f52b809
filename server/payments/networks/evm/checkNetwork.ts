import { encodeFunctionData, type Hex } from 'viem';
import type { ChainCall } from '../../chainCall.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { EvmNetworkConfig } from '../../paymentConfig.ts';
import { bytes } from './nodeAnswers.ts';
import { usdcAbi } from './usdcAbi.ts';

/**
 * Compares a payment network's configuration with the chain that its RPC serves.
 *
 * @throws {PaymentNetworkMismatchError} the chain id or the EIP-712 domain differs
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function checkNetwork(
  call: ChainCall,
  readIdentities: () => Promise<(string | undefined)[]>,
  config: EvmNetworkConfig,
  separator: Hex,
): Promise<void> {
  const wrong = (await readIdentities()).find((answer) => answer !== undefined && Number(answer) !== config.chainId);
  if (wrong !== undefined) {
    throw new PaymentNetworkMismatchError(
      `An RPC for payments on ${config.network} serves chain ${Number(wrong)}. Set the URL of an RPC for chain ${config.chainId}.`,
    );
  }
  const data = encodeFunctionData({ abi: usdcAbi, functionName: 'DOMAIN_SEPARATOR' });
  const actual = await call('eth_call', [{ to: config.asset, data }, 'latest'], bytes);
  if (actual !== separator) {
    throw new PaymentNetworkMismatchError(
      `USDC ${config.asset} on ${config.network} has the EIP-712 domain separator ${actual}; expected ${separator} (name "${config.domain.name}", version "${config.domain.version}"). Check that the RPC URL serves the real chain. Local chains for live mode: npm run chains -- --mainnet-usdc`,
    );
  }
}
