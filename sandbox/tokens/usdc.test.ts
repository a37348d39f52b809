import { encodeFunctionData, erc20Abi, keccak256, parseAbi, parseSignature, parseUnits, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect, test } from 'vitest';
import { sendFromWallet } from '../execution/walletSender.ts';
import { mainnetUsdcName, type Sandbox, sandboxUsdcName, startSandbox, TransactionRevertedError } from '../index.ts';
import { createNodeClient } from '../rpc/nodeClient.ts';
import { chainOf, walletOf } from '../testing/findSeeded.ts';
import { readContract } from '../testing/readContract.ts';

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
]);

/** Signs a payment of the demo wallet under a domain name; `settle` submits it as the facilitator. */
async function signPayment(sandbox: Sandbox, name: string) {
  const chain = chainOf(sandbox, 'base');
  const from = walletOf(sandbox, 'demo');
  const message = {
    from: from.address,
    to: walletOf(sandbox, 'payTo').address,
    value: parseUnits('0.01', 6),
    validAfter: BigInt(Math.floor(Date.now() / 1000) - 60),
    validBefore: BigInt(Math.floor(Date.now() / 1000) + 600),
    nonce: keccak256(toHex(`one payment for ${name}`)),
  };
  const signature = await privateKeyToAccount(from.privateKey).signTypedData({
    domain: { name, version: '2', chainId: chain.chainId, verifyingContract: chain.usdc },
    primaryType: 'TransferWithAuthorization',
    types: {
      TransferWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    message,
  });
  const { r, s, yParity } = parseSignature(signature);
  const { to, value, validAfter, validBefore, nonce } = message;
  const data = encodeFunctionData({
    abi,
    functionName: 'transferWithAuthorization',
    args: [from.address, to, value, validAfter, validBefore, nonce, 27 + yParity, r, s],
  });
  const settle = () =>
    sendFromWallet(createNodeClient(chain.rpcUrl), chain.chainId, walletOf(sandbox, 'facilitator'), {
      to: chain.usdc,
      data,
    });
  const received = () => readContract(chain, { to: chain.usdc, abi: erc20Abi, name: 'balanceOf', args: [to] });
  return { settle, received, value };
}

test.each([
  ['default', {}, sandboxUsdcName, mainnetUsdcName],
  ['mainnetUsdc', { mainnetUsdc: true }, mainnetUsdcName, sandboxUsdcName],
] as const)(
  '%s: a signature for its own domain name transfers USDC once; one for the other name is rejected',
  async (_case, options, own, other) => {
    const sandbox = await startSandbox({ chains: ['base'], ...options });
    try {
      const foreign = await signPayment(sandbox, other);
      await expect(foreign.settle()).rejects.toThrow(TransactionRevertedError);
      expect(await foreign.received()).toBe(0n);

      const { settle, received, value } = await signPayment(sandbox, own);
      await settle();
      expect(await received()).toBe(value);
      await expect(settle()).rejects.toThrow(TransactionRevertedError);
    } finally {
      await sandbox.close();
    }
  },
);
