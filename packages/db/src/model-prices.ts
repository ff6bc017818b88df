import { MODEL_PRICES, type ModelPrice, type ModelPrices, type ModelPricesBody } from '@deckhand/contracts';
import type { Actor } from './access.ts';
import { requireAdministrator } from './admin.ts';
import { recordChange } from './audit/record.ts';
import { type Database, Prisma, type Queryable } from './client.ts';

/**
 * Reads all prices of models.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator.
 */
export async function readModelPrices(db: Database, actor: Actor): Promise<ModelPrices> {
  await requireAdministrator(db, actor);
  return readPrices(db);
}

/**
 * Replaces the prices that administrators set. They apply to calls from now on.
 * @throws DeckhandError FORBIDDEN unless the actor is an instance administrator.
 */
export function writeModelPrices(db: Database, actor: Actor, { prices }: ModelPricesBody): Promise<ModelPrices> {
  return db.$transaction(async (tx) => {
    await requireAdministrator(tx, actor);
    // Another replacement at the same time waits here, instead of failing at a price that both have.
    await tx.$executeRaw`/* model-prices.lock */ LOCK TABLE model_prices IN SHARE ROW EXCLUSIVE MODE`;
    await tx.modelPrice.deleteMany();
    await tx.modelPrice.createMany({
      data: prices.map(({ provider, model, validFrom, source, ...price }) => ({
        ...{ provider, model, source },
        validFrom: new Date(`${validFrom}T00:00:00Z`),
        inputPrice: price.inputMicroUsd,
        cachedInputPrice: price.cachedInputMicroUsd,
        outputPrice: price.outputMicroUsd,
      })),
    });
    const details = { prices: prices.length };
    await recordChange(tx, actor, { action: 'modelPrices.update', workspaceId: null, resourceId: 'instance', details });
    return readPrices(tx);
  });
}

async function readPrices(db: Queryable): Promise<ModelPrices> {
  const prices = await db.$queryRaw<ModelPrice[]>`/* model-prices.read */
    SELECT provider, model, to_char(valid_from, 'YYYY-MM-DD') AS "validFrom", input_price::float8 AS "inputMicroUsd",
      cached_input_price::float8 AS "cachedInputMicroUsd", output_price::float8 AS "outputMicroUsd", source
    FROM model_prices ORDER BY provider, model, valid_from`;
  return { prices, builtIn: [...MODEL_PRICES] };
}

/**
 * Returns a query for the price of a model at a time: `input`, `cached` and `output`. One of an administrator comes
 * before a built-in one; without any, there is no row.
 */
export function priceOf(provider: string, model: string, at: Prisma.Sql): Prisma.Sql {
  const builtIn = MODEL_PRICES.filter((price) => price.provider === provider && price.model === model);
  return Prisma.sql`
    SELECT input, cached, output FROM (
      SELECT 1 AS rank, valid_from, input_price AS input, cached_input_price AS cached, output_price AS output
      FROM model_prices WHERE provider = ${provider} AND model = ${model}
      UNION ALL
      SELECT 0, b."validFrom", b."inputMicroUsd", b."cachedInputMicroUsd", b."outputMicroUsd"
      FROM jsonb_to_recordset(${JSON.stringify(builtIn)}::jsonb) AS b("validFrom" date, "inputMicroUsd" bigint,
        "cachedInputMicroUsd" bigint, "outputMicroUsd" bigint)
    ) p WHERE valid_from <= (${at} AT TIME ZONE 'UTC')::date
    ORDER BY rank DESC, valid_from DESC LIMIT 1`;
}
