import type { PaymentRequired } from '@x402/core/types';
import { SandboxError } from '../errors.ts';

/**
 * Detects a sandbox by the signed data: the EIP-712 name of its USDC. A signature over that name is invalid on mainnet,
 * regardless of what the service claims.
 */
const sandboxUsdcName = 'USD Coin (truefill sandbox)';

/** Whether a sandbox may be paid. `only` refuses every other service: for keys that are public. */
export type AllowSandbox = boolean | 'only';

/** @throws {SandboxError} */
export function assertSandboxAllowed({ accepts }: PaymentRequired, allowed: AllowSandbox, url: string): void {
  const evm = accepts.filter(({ network }) => network.startsWith('eip155:'));
  const sandbox = evm.filter(({ extra }) => extra?.name === sandboxUsdcName);
  if (sandbox.length > 0 && !allowed)
    throw new SandboxError(
      `${url} is a truefill sandbox: it quotes local chains and takes test USDC. Nothing was signed. To use it, pass allowSandbox: true with a test wallet (command line: --sandbox).`,
    );
  if (allowed === 'only' && (sandbox.length === 0 || sandbox.length < evm.length))
    throw new SandboxError(
      `${url} is not a truefill sandbox: it takes real USDC. Nothing was signed. Pay with a wallet of your own.`,
    );
}
