import { expect, test } from 'vitest'
import { effectsOf } from '../fixture.ts'

const python = (code: string): string => `python3 -c '${code}'`
const node = (code: string): string => `node -e '${code}'`

test.each([
  [python('import boto3; boto3.client("rds").delete_db_instance(DBInstanceIdentifier="orders")'), 'cloud.destroy+all'],
  [python('import boto3; boto3.resource("s3").Bucket("a").objects.all().delete()'), 'cloud.destroy+all'],
  [node('const a=require("@aws-sdk/client-s3"); c.send(new a.DeleteBucketCommand(b))'), 'cloud.destroy+all'],
  [node('const o=require("octokit"); new o().repos.delete({repo:"b"})'), 'cloud.destroy+all'],
  [python('import psycopg2 as p; p.connect(D).cursor().execute("DROP " + "TABLE users")'), 'db.destroy'],
  [node('const {Client}=require("pg"); c.query("TRUNC"+"ATE "+t)'), 'db.destroy'],
  [python('import pymongo; pymongo.MongoClient(U).drop_database("orders")'), 'db.destroy'],
  [python('import redis; redis.from_url(U).flushall()'), 'db.destroy'],
  [python('import sqlalchemy as sa; m.drop_all(e)'), 'db.destroy'],
  ['ruby -e \'require "pg"; PG.connect(U).exec("drop schema public")\'', 'db.destroy'],
  [python('import stripe; stripe.Refund.create(charge="a")'), 'money.move'],
  [python('import boto3; boto3.client("iam").create_access_key(UserName="a")'), 'access.grant+all'],
  [python('import boto3; print(boto3.client("secretsmanager").get_secret_value(SecretId="a"))'), 'secret.read'],
])('%s', (command, effect) => {
  expect(effectsOf(command)).toContain(effect)
})

test.each([
  python('import boto3; print(boto3.client("s3").list_buckets())'),
  python('import boto3; boto3.client("s3").delete_object(Bucket="a", Key="b")'),
  python('import boto3; boto3.client("s3").delete_bucket(Bucket="orders-test")'),
  python('import psycopg2; psycopg2.connect("host=localhost").cursor().execute("drop table users")'),
  python('import sqlite3; sqlite3.connect(":memory:").execute("drop table users")'),
  python('import redis; redis.from_url(U).delete("cache")'),
  node('const {Client}=require("pg"); c.query("select 1")'),
  python('print("drop table users")'),
])('%s destroys nothing', (command) => {
  expect(effectsOf(command).filter((one) => /destroy|money|grant|secret/.test(one))).toStrictEqual([])
})
