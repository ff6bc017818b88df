import Type, { type Static } from 'typebox';
import { CLOSED, nullable, oneOf } from './common.ts';
import { MODEL_PROVIDER_NAMES } from './credential-secrets.ts';

/** The highest price: $10,000 per million tokens. */
const MAX_PRICE = 10_000_000_000;

const MicroUsd = Type.Integer({
  minimum: 0,
  maximum: MAX_PRICE,
  description: 'Micro-dollars per million tokens: 3000000 is $3',
});

/** What a provider charges for a model from a day on. */
export const ModelPrice = Type.Object(
  {
    provider: oneOf(MODEL_PROVIDER_NAMES, { description: 'As in the credential' }),
    model: Type.String({ minLength: 1, maxLength: 200, description: "The provider's name of the model, exactly" }),
    validFrom: Type.String({
      pattern: String.raw`^(19|2\d)\d{2}-\d{2}-\d{2}$`,
      format: 'date',
      description: 'The first day of UTC; a price holds until the next one of its model',
    }),
    inputMicroUsd: MicroUsd,
    cachedInputMicroUsd: nullable(MicroUsd, {
      description: 'For tokens of the request that come from the cache of the provider; null means inputMicroUsd',
    }),
    outputMicroUsd: MicroUsd,
    source: Type.String({ maxLength: 500, description: 'Where the price comes from, for people' }),
  },
  CLOSED,
);

/** The prices of the instance. */
export const ModelPrices = Type.Object({
  prices: Type.Array(ModelPrice, {
    description: 'Set by administrators. One that holds on a day takes the place of the built-in one',
  }),
  builtIn: Type.Array(ModelPrice, { description: 'Those that every instance knows' }),
});

/** All prices that administrators set. */
export const ModelPricesBody = Type.Object({ prices: Type.Array(ModelPrice, { maxItems: 1_000 }) }, CLOSED);

export type ModelPrice = Static<typeof ModelPrice>;
export type ModelPrices = Static<typeof ModelPrices>;
export type ModelPricesBody = Static<typeof ModelPricesBody>;
