import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  type Nonce,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { expiringOnly } from './solanaSigner.ts';

const blockhash = 'EETubP5AKHgjPAhzPAFcb8BAY1hMH639CWCFTqi3hq1k';
const memo = { programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'), data: new Uint8Array([1]) };

async function signerOf() {
  const key = await generateKeyPairSigner();
  const signed: unknown[] = [];
  const signer = {
    address: key.address,
    signTransactions: async (...given: unknown[]) => {
      signed.push(given);
      return key.signTransactions(...(given as Parameters<typeof key.signTransactions>));
    },
  };
  const guarded = expiringOnly(signer);
  if (!('signTransactions' in guarded)) throw new TypeError('The signer lost its method.');
  return { key, signer: guarded, signed };
}

const message = (feePayer: string) =>
  pipe(createTransactionMessage({ version: 0 }), (empty) => setTransactionMessageFeePayer(address(feePayer), empty));

const withBlockhash = (feePayer: string) =>
  pipe(message(feePayer), (begun) =>
    setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight: 1n }, begun),
  );

test('default: signs a transaction that expires with its blockhash', async () => {
  const { key, signer, signed } = await signerOf();
  const transaction = compileTransaction(appendTransactionMessageInstruction(memo, withBlockhash(key.address)));
  const options = { abortSignal: new AbortController().signal };
  const [signatures] = await signer.signTransactions([transaction], options);
  expect(Object.keys(signatures)).toEqual([key.address]);
  expect(signed).toEqual([[[transaction], options]]);
  expect(signer.address).toBe(key.address);
});

test('security: does not sign a transaction with a durable nonce, as @solana/kit builds it', async () => {
  const { key, signer, signed } = await signerOf();
  const durable = pipe(message(key.address), (begun) =>
    setTransactionMessageLifetimeUsingDurableNonce(
      { nonce: blockhash as Nonce, nonceAccountAddress: address(blockhash), nonceAuthorityAddress: key.address },
      begun,
    ),
  );
  const transaction = compileTransaction(appendTransactionMessageInstruction(memo, durable));
  await expect(signer.signTransactions([transaction])).rejects.toThrow(/would not expire.*Nothing was signed/);
  expect(signed).toEqual([]);
});

test('security: the check covers every transaction, and each first instruction of the System Program', async () => {
  const { key, signer, signed } = await signerOf();
  const transfer = {
    programAddress: address('11111111111111111111111111111111'),
    accounts: [{ address: key.address, role: AccountRole.WRITABLE_SIGNER }],
    data: new Uint8Array([2, 0, 0, 0]),
  };
  const good = compileTransaction(appendTransactionMessageInstruction(memo, withBlockhash(key.address)));
  const system = compileTransaction(appendTransactionMessageInstruction(transfer, withBlockhash(key.address)));
  const empty = compileTransaction(withBlockhash(key.address));
  for (const bad of [system, empty])
    await expect(signer.signTransactions([good, bad])).rejects.toThrow('would not expire');
  expect(signed).toEqual([]);
});

test('default: a wallet that adds an instruction signs the transaction that it made', async () => {
  const { key } = await signerOf();
  const begun = withBlockhash(key.address);
  const given = compileTransaction(appendTransactionMessageInstruction(memo, begun));
  const extended = compileTransaction(appendTransactionMessageInstructions([memo, memo], begun));
  const wallet = expiringOnly({ address: key.address, modifyAndSignTransactions: async () => [extended] });
  if (!('modifyAndSignTransactions' in wallet)) throw new TypeError('The signer lost its method.');
  expect(await wallet.modifyAndSignTransactions([given])).toEqual([extended]);
});

test('security: a durable nonce that a wallet adds is not sent', async () => {
  const { key } = await signerOf();
  const given = compileTransaction(appendTransactionMessageInstruction(memo, withBlockhash(key.address)));
  const durable = pipe(message(key.address), (begun) =>
    setTransactionMessageLifetimeUsingDurableNonce(
      { nonce: blockhash as Nonce, nonceAccountAddress: address(blockhash), nonceAuthorityAddress: key.address },
      begun,
    ),
  );
  const changed = compileTransaction(appendTransactionMessageInstruction(memo, durable));
  const wallet = expiringOnly({ address: key.address, modifyAndSignTransactions: async () => [changed] });
  if (!('modifyAndSignTransactions' in wallet)) throw new TypeError('The signer lost its method.');
  await expect(wallet.modifyAndSignTransactions([given])).rejects.toThrow(/would not expire.*It was not sent/);
});
