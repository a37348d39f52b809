import {
  declarePaymentIdentifierExtension,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier';
import { z } from 'zod';
import { MalformedPaymentError } from './malformedPaymentError.ts';

/** x402's extension `payment-identifier`, as every 402 declares it: a client may name its payment, none has to. */
export const identifierDeclaration = (): Record<string, unknown> => ({
  [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false),
});

const extensionSchema = z.object({ info: z.object({ id: z.unknown().optional() }) });

/**
 * The client's payment identifier; undefined when it only echoes the declaration, or nothing.
 *
 * The published validator is not used: it would run a schema from the client.
 *
 * @throws {MalformedPaymentError} a name that the extension does not allow.
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
