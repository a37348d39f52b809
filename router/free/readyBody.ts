import { z } from 'zod';

/** The body of `GET /ready`, which is free, for load balancers and orchestrators. */
export const readyBody = z
  .object({
    ready: z.boolean().meta({ description: 'Whether this process accepts paid calls.' }),
    missing: z.array(z.enum(['STARTED', 'INTAKE', 'STORE'])).meta({
      description:
        'What is missing. STARTED: the process is still starting; INTAKE: it is shutting down and accepts no new requests; STORE: the payment database cannot be written.',
    }),
  })
  .meta({ title: 'Ready', description: 'Whether this process accepts paid calls.' });

export type ReadyBody = z.infer<typeof readyBody>;
