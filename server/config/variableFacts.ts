import { z } from 'zod';

/** Facts about a variable for the guide and the environment example. */
export interface VariableFacts {
  section: 'Address' | 'Chains' | 'Payments' | 'Storage' | 'Limits' | 'Answers' | 'Vendors' | 'Observability';
  description: string;
  /** Error messages never contain the value, because it may contain a key. */
  isPrivate?: boolean;
}

/** Facts by schema. Every variable has an entry; a test checks it. */
export const variableFacts = z.registry<VariableFacts>();
