import { z } from 'zod';

/** What the guide and the environment example say about a variable. */
export interface VariableFacts {
  section: 'Address' | 'Chains' | 'Payments' | 'Storage' | 'Limits' | 'Answers' | 'Vendors' | 'Observability';
  description: string;
  /** Messages never repeat the value: it is a key, may contain one, or is easily confused with one. */
  isPrivate?: boolean;
}

/** Facts by schema. Every variable has an entry; a test checks it. */
export const variableFacts = z.registry<VariableFacts>();
