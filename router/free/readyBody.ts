import { z } from 'zod';

/** `GET /ready`: free; for balancers and orchestrators. */
export const readyBody = z
  .object({
    ready: z.boolean().meta({ description: 'Whether paid calls are taken here now.' }),
    missing: z.array(z.enum(['STARTED', 'INTAKE', 'STORE'])).meta({
      description:
        'What is not there. STARTED: it still starts; INTAKE: it finishes what it has begun and takes nothing new; STORE: the database does not answer.',
    }),
  })
  .meta({ title: 'Ready', description: 'Whether this process takes paid calls now.' });

export type ReadyBody = z.infer<typeof readyBody>;
