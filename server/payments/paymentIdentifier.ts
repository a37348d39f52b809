import { isValidPaymentId, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { MalformedPaymentError } from './malformedPaymentError.ts';

/**
 * The declaration of x402's extension `payment-identifier` in each 402: an identifier is optional. Its schema is left
 * out, because clients read only `info`, and the headers of a 402 must fit a proxy's buffer.
 */
export const identifierDeclaration = (): Record<string, unknown> => ({
  [PAYMENT_IDENTIFIER]: { info: { required: false } },
});

const extensionSchema = z.object({ info: z.object({ id: z.unknown().optional() }) });

/**
 * The client's payment identifier; undefined if the payment contains none, or only echoes the declaration.
 *
 * x402's validator is not used, because it would evaluate a JSON schema from the client.
 *
 * @throws {MalformedPaymentError} the extension does not allow the identifier
 */
export function readIdentifier({ extensions }: { extensions: Record<string, unknown> }): string | undefined {
  const extension = extensions[PAYMENT_IDENTIFIER];
  if (extension === undefined) return undefined;
  const parsed = extensionSchema.safeParse(extension);
  const id = parsed.data?.info.id;
  if (parsed.success && id === undefined) return undefined;
  if (typeof id === 'string' && isValidPaymentId(id)) return id;
  throw new MalformedPaymentError(
    'PAYMENT-SIGNATURE: extensions.payment-identifier.info.id must be 16 to 128 letters, digits, - or _.',
  );
}
