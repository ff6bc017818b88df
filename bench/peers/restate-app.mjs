// The work of the comparison as a Restate service: three durable steps, and their result.
import { serve, service } from '@restatedev/restate-sdk';

const bench = service({
  name: 'bench',
  handlers: {
    run: async (context, { nonce }) => {
      const kept = await context.run('keep', () => ({ nonce }));
      const isLong = await context.run('check', () => kept.nonce.length > 8);
      return context.run('end', () => ({ nonce: isLong ? kept.nonce : null }));
    },
  },
});

await serve({ services: [bench], port: Number(process.env.PORT) });
