// The project's Jest transform, with one mutant put into its file. Jest caches by what this returns as a key, so
// nothing of it is left.
const { createTransformer } = require('@swc/jest');

const { file, find, replace } = JSON.parse(process.env.DECKHAND_MUTANT ?? '{}');

function mutate(source, path) {
  return file !== undefined && path.endsWith(`/${file}`) ? source.replace(find, () => replace) : source;
}

module.exports = {
  createTransformer(options) {
    const swc = createTransformer(options);
    return {
      ...swc,
      process: (source, path, jest) => swc.process(mutate(source, path), path, jest),
      processAsync: (source, path, jest) => swc.processAsync(mutate(source, path), path, jest),
      getCacheKey: (source, path, jest) => swc.getCacheKey(mutate(source, path), path, jest),
    };
  },
};
