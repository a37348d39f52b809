import { z } from 'zod';
import { address, hash, hexBytes } from '../quote/fields.ts';

const baseUnits = z.string().regex(/^(?:0|[1-9]\d*)$/);

const approval = z.object({
  token: address.meta({ description: 'The token, checksummed.' }),
  spender: address.meta({ description: 'The executor.' }),
  amount: baseUnits.meta({ description: 'Exactly amountIn.' }),
  to: address.meta({ description: 'Recipient of the approving transaction: the token.' }),
  data: hexBytes.meta({ description: 'Calldata of the approving transaction.' }),
});

/** The 200 body of a transaction request. */
export const transactionOutput = z
  .object({
    chainId: z.int().meta({ description: 'EIP-155 id of the chain to send it on.' }),
    to: address.meta({ description: 'Recipient: the executor.' }),
    data: hexBytes.meta({ description: 'Calldata of `execute`.' }),
    value: baseUnits.meta({ description: 'Wei to send: "0". The executor pulls tokenIn.' }),
    approvals: z.array(approval).meta({
      description:
        'The approvals that the transaction needs, each for the exact amount. Existing allowances were not read. Send the approvals first, from the account that sends the transaction.',
    }),
    minAmountOut: baseUnits.meta({
      description: 'Base units of tokenOut. The transaction reverts if the receiver would get less.',
    }),
    executor: z
      .object({
        address: address.meta({ description: 'Address of the executor; the same on every chain.' }),
        codeHash: hash.meta({
          description: 'keccak256 of its code. Compare it with the chain (EXTCODEHASH) before you send.',
        }),
      })
      .meta({ description: 'The contract that executes the plan. It is not audited.' }),
    warnings: z.array(z.string()).meta({
      description:
        'Facts that cannot be verified without the chain, such as a pool whose address follows from no formula.',
    }),
  })
  .meta({
    title: 'Transaction',
    description: 'The transaction that executes a quote, and the approvals that it needs.',
  });

export type TransactionOutput = z.infer<typeof transactionOutput>;
