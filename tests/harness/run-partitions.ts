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
