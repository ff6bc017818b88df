-- Roles of people who approve, operate, publish or write workflows. Processes of earlier versions cannot read members
-- with these roles, and let them start runs: give them once all processes are replaced.

-- AlterEnum
ALTER TYPE "role" ADD VALUE 'approver' BEFORE 'viewer';

-- AlterEnum
ALTER TYPE "role" ADD VALUE 'operator' BEFORE 'editor';

-- AlterEnum
ALTER TYPE "role" ADD VALUE 'publisher' BEFORE 'editor';

-- AlterEnum
ALTER TYPE "role" ADD VALUE 'author' BEFORE 'editor';
