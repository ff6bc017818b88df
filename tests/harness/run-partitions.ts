import { type Database, Prisma } from '@deckhand/db';

/** Makes a database without runs look as if its partitions had ended so many days ago, without any created since. */
export async function endPartitions(db: Database, daysAgo: number): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    DO $$
    DECLARE p record;
    BEGIN
      FOR p IN SELECT * FROM run_partitions LOOP
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', p.table_name, p.partition_name);
        IF p.suffix <> 'p0' THEN EXECUTE format('DROP TABLE %I', p.partition_name); END IF;
      END LOOP;
      FOR p IN SELECT * FROM partitioned_run_tables() LOOP
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', p.name, p.name || '_p0',
          first_id_of(date_trunc('day', now(), 'UTC') - ${Prisma.raw(String(daysAgo * 24))} * interval '1 hour'));
      END LOOP;
    END $$`);
}

/** Creates so many partitions after the last one, each of so many days. */
export async function addPartitions(db: Database, { count, days }: { count: number; days: number }): Promise<void> {
  await db.$executeRaw(Prisma.sql`
    DO $$
    DECLARE t record; bound timestamptz;
    BEGIN
      FOR i IN 1..${Prisma.raw(String(count))} LOOP
        bound := (SELECT max(time_of_id(upper_id)) FROM run_partitions);
        FOR t IN SELECT * FROM partitioned_run_tables() LOOP
          EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
            t.name || to_char(bound AT TIME ZONE 'UTC', '"_p"YYYYMMDD'), t.name, first_id_of(bound),
            first_id_of(bound + ${Prisma.raw(String(days))} * interval '1 day'));
        END LOOP;
      END LOOP;
    END $$`);
}

/** Returns SQL for a random id of a run that was created at a time. PostgreSQL has a function for that from 18 on. */
export function runIdAt(at: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(left(first_id_of(${at})::text, 14) || '7' || right(gen_random_uuid()::text, 3) || '-8'
    || right(gen_random_uuid()::text, 3) || '-' || right(gen_random_uuid()::text, 12))::uuid`;
}
