// Puts one mutant into its file as Node.js loads it: DECKHAND_MUTANT='{"file":…}' node --import tests/mutants/hook.mjs
import { registerHooks } from 'node:module';

const { file, find, replace } = JSON.parse(process.env.DECKHAND_MUTANT);

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!new URL(url).pathname.endsWith(`/${file}`)) return loaded;
    return {
      ...loaded,
      source: Buffer.from(loaded.source ?? '')
        .toString()
        .replace(find, () => replace),
    };
  },
});
